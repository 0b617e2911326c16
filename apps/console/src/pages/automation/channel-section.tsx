import type { Channel, ChannelMessage } from '@daycare/contracts/topology';
import { useState } from 'preact/hooks';
import { daycare } from '../../data/client';
import { agentName } from '../../data/agent-names';
import { useResource } from '../../data/resource';
import { Button } from '../../ui/button';
import { Card, Section } from '../../ui/layout';
import { EmptyState, Loaded } from '../../ui/states';
import { Clock } from '../../ui/time/time';

/** Channels, in which agents write to each other. */
export function ChannelSection({ channels }: { readonly channels: readonly Channel[] }) {
  return (
    <Section title="Channels" count={channels.length}>
      {channels.length === 0 ? (
        <EmptyState title="No channels">
          <p>
            A channel is a group of your agents that work on something together. Ask an agent to
            create one.
          </p>
        </EmptyState>
      ) : (
        <ul class="cards">
          {channels.map((channel) => (
            <li key={channel.name}>
              <ChannelCard channel={channel} />
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

function ChannelCard({ channel: { name, members, leaderAgentId } }: { readonly channel: Channel }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Card
      actions={
        <Button aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Hide messages' : 'Show messages'}
        </Button>
      }
    >
      <p>
        <strong>#{name}</strong>
      </p>
      <ul class="members">
        {members.map(({ agentId, username }) => (
          <li key={agentId}>
            @{username} <a href={`/agents/${agentId}`}>{agentName(agentId)}</a>
            {agentId === leaderAgentId && <span class="muted small"> leader</span>}
          </li>
        ))}
      </ul>
      {isOpen && <Messages channelName={name} />}
    </Card>
  );
}

function Messages({ channelName }: { readonly channelName: string }) {
  const messages = useResource(
    async (signal) => {
      const request = { channelName, pageSize: 50, pageToken: '' };
      return (await daycare.rpc.topology.listChannelMessages(request, { signal })).messages;
    },
    [channelName],
  );
  return (
    <Loaded resource={messages} lines={2}>
      {(loaded) =>
        loaded.length === 0 ? (
          <p class="muted">No messages yet.</p>
        ) : (
          <MessageList messages={loaded} />
        )
      }
    </Loaded>
  );
}

function MessageList({ messages }: { readonly messages: readonly ChannelMessage[] }) {
  return (
    <ol class="channel-messages">
      {messages.map(({ id, senderUsername, text, sentAt }) => (
        <li key={id}>
          <span class="muted small">
            @{senderUsername}, <Clock at={sentAt} />
          </span>
          <p class="pre">{text}</p>
        </li>
      ))}
    </ol>
  );
}
