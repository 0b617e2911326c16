import { isDaycareError } from '@daycare/client/browser';
import type { Agent } from '@daycare/contracts/agent-runtime';
import type { RefObject } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { agentsById, displayName, subusersById } from '../../data/agent-names';
import { daycare } from '../../data/client';
import { useAction } from '../../data/action';
import { useReloadOn, useResource, type Resource } from '../../data/resource';
import { self } from '../../data/topology';
import type { PageProps } from '../../router/page-props';
import { Button, ButtonLink } from '../../ui/button';
import { EmptyState, Loaded, Skeleton } from '../../ui/states';
import { VirtualList, type VirtualListHandle } from '../../ui/virtual/virtual-list';
import { BackgroundAgents } from './parts/background-agents';
import { estimateHeight } from './log/estimate-height';
import { Beginning } from './parts/beginning';
import { Composer } from './parts/composer';
import { ConversationHead } from './parts/conversation-head';
import { DraftMessage } from './parts/draft-message';
import { MessageRow } from './parts/message-row';
import { PendingMessages } from './parts/pending-messages';
import { ConversationStore } from './store/conversation-store';
import { deliveryTo, hasChannel, sendMessage } from './store/send-message';

/** The error codes for an unknown agent. An invalid id is treated like the id of an agent that does not exist. */
const unknownAgentCodes = ['NOT_FOUND', 'INVALID_ARGUMENT'] as const;

/** The conversation with one agent. */
export function ConversationPage({ params }: PageProps) {
  const agentId = params['agentId'] ?? '';
  const list = useRef<VirtualListHandle>(null);
  const store = useMemo(() => new ConversationStore(agentId), [agentId]);
  const resource = useResource(
    async (signal) => {
      const selector = { $case: 'agentId', value: agentId } as const;
      return (await daycare.rpc.agentRuntime.getAgent({ selector }, { signal })).agent;
    },
    [agentId],
  );
  useEffect(() => store.open(), [store]);
  const state = resource.state.value;
  const agent = state.status === 'ready' ? withLatestActivity(state.value) : undefined;
  const isUnknown = state.status === 'failed' && isDaycareError(state.error, ...unknownAgentCodes);
  return (
    <div class="conversation">
      {/* The heading stays the same element when the agent has loaded, because it has the focus after navigation. */}
      <ConversationHead
        agent={agent}
        name={agent ? nameOf(agent) : 'Conversation'}
        store={store}
        onShowBeginning={() => void store.loadAll().then(() => list.current?.scrollToStart())}
      />
      <ReloadAgent resource={resource} store={store} />
      {isUnknown ? (
        <UnknownAgent />
      ) : agent ? (
        <Conversation agent={agent} store={store} list={list} />
      ) : (
        <Loaded resource={resource}>{() => null}</Loaded>
      )}
    </div>
  );
}

/** The minimum interval between reloads of the agent, because turns may end in quick succession. */
const reloadAgentMs = 3_000;

/**
 * Reloads the agent whenever it starts or stops working, because a turn changes the agent's context. This component
 * renders nothing; if the page read `isWorking` itself, every turn would redraw the whole page.
 */
function ReloadAgent({
  resource,
  store,
}: {
  readonly resource: Resource<unknown>;
  readonly store: ConversationStore;
}) {
  useReloadOn(resource, store.isWorking.value, reloadAgentMs);
  return null;
}

/** Returns the agent with its activity taken from the topology, which is updated with every change. */
function withLatestActivity(agent: Agent | undefined): Agent | undefined {
  const latest = agent && agentsById.value.get(agent.id);
  return latest ? { ...agent, lifecycle: latest.lifecycle, waiting: latest.waiting } : agent;
}

function nametagOf({ descriptor, userId }: Agent): string | undefined {
  return descriptor?.kind?.$case === 'subuser'
    ? subusersById.value.get(userId)?.nametag
    : undefined;
}

function nameOf(agent: Agent): string {
  const name = displayName(agent.label);
  const subuser = subusersById.value.get(agent.userId);
  return nametagOf(agent) !== undefined || !subuser ? name : `${subuser.name} · ${name}`;
}

function UnknownAgent() {
  return (
    <EmptyState title="There is no such agent">
      <ButtonLink href="/agents">All conversations</ButtonLink>
    </EmptyState>
  );
}

interface ConversationProps {
  readonly agent: Agent;
  readonly store: ConversationStore;
  readonly list: RefObject<VirtualListHandle | null>;
}

function Conversation({ agent, store, list }: ConversationProps) {
  const [isFollowing, setFollowing] = useState(true);
  const follow = (shouldFollow: boolean): void => {
    store.follow(shouldFollow);
    setFollowing(shouldFollow);
  };
  return (
    <>
      {store.problem.value !== '' && (
        <p class="notice" role="alert">
          New messages cannot be shown: {store.problem.value}
        </p>
      )}
      {store.isLoaded.value ? (
        <Messages agent={agent} store={store} list={list} onFollow={follow} />
      ) : (
        store.problem.value === '' && <Skeleton lines={5} />
      )}
      {!isFollowing && (
        <div class="to-newest">
          <Button onClick={() => list.current?.scrollToEnd()}>Jump to latest ↓</Button>
        </div>
      )}
      {/* The person must be known first, to tell their own agents from those of their subusers. */}
      {self.value && (
        <BackgroundAgents
          agentId={agent.id}
          subuserId={agent.userId === self.value.userId ? '' : agent.userId}
        />
      )}
      {store.hasEnded.value ? (
        <p class="notice">This agent has ended. Its history is kept.</p>
      ) : (
        <Writing agent={agent} store={store} list={list} />
      )}
    </>
  );
}

/** The messages are a separate component, so that a new message redraws only the list. */
function Messages({
  agent,
  store,
  list,
  onFollow,
}: ConversationProps & { readonly onFollow: (isFollowing: boolean) => void }) {
  const deliver = deliveryTo(agent, nametagOf(agent));
  return (
    <VirtualList
      label="Messages"
      list={list}
      items={store.rows.value}
      keyOf={({ key }) => key}
      estimate={estimateHeight}
      render={(row) => <MessageRow row={row} />}
      onNearStart={() => void store.loadEarlier()}
      onFollow={onFollow}
      header={<Beginning store={store} />}
      footer={
        <div class="virtual-row">
          <DraftMessage store={store} />
          <PendingMessages store={store} deliver={deliver} />
        </div>
      }
    />
  );
}

function Writing({ agent, store, list }: ConversationProps) {
  const nametag = nametagOf(agent);
  const deliver = deliveryTo(agent, nametag);
  const canWait = hasChannel(agent) || nametag !== undefined;
  const name = subusersById.value.get(agent.userId)?.name ?? displayName(agent.label);
  const stop = useAction(async (requestId) => {
    const request = { requestId, agentId: agent.id, steeringText: '', replyTarget: '' };
    await daycare.rpc.agentRuntime.stopTurn(request);
    return 'Stopping.';
  });
  return (
    <Composer
      takesFiles={hasChannel(agent)}
      isWorking={store.isWorking.value}
      canWait={canWait}
      placeholder={canWait ? `Write to ${name}` : 'Tell it what to do instead'}
      onStop={() => void stop.run()}
      onSend={(written) => {
        list.current?.scrollToEnd();
        // A failed message is shown in the list, with a button to send it again.
        void sendMessage(store, deliver, written);
        return true;
      }}
    />
  );
}
