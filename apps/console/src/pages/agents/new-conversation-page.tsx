import type { Topology } from '@daycare/contracts/topology';
import { useState } from 'preact/hooks';
import { newRequestId } from '@daycare/client/browser';
import { useAction } from '../../data/action';
import { daycare } from '../../data/client';
import { topology } from '../../data/topology';
import { navigate } from '../../router/router';
import { Field } from '../../ui/field';
import { PageHead } from '../../ui/layout';
import { Skeleton } from '../../ui/states';
import { Composer, type ComposedMessage } from '../conversation/parts/composer';
import { toChannelId, unusedName } from './unused-name';

/** Sends the first message of a conversation, which creates its agent. */
export function NewConversationPage() {
  const view = topology.value;
  return (
    <>
      <PageHead
        title="New conversation"
        about="Every conversation has its own agent, with its own context."
      />
      {/* The names in use must be known first: a message with such a name would continue that conversation. */}
      {view ? <NewConversation view={view} /> : <Skeleton />}
    </>
  );
}

function NewConversation({ view }: { readonly view: Topology }) {
  const [name, setName] = useState(() => nameFor(view));
  const start = useAction(
    async (requestId, channelId: string, { text, files }: ComposedMessage) => {
      const channel = { connector: 'console', channelId, connectorUserId: 'me' };
      const fileIds = files.map(({ id }) => id);
      const request = { ...channel, requestId, text, fileIds, replyTarget: '' };
      const { agentId } = await daycare.rpc.agentRuntime.postMessage(request);
      navigate(`/agents/${agentId}`, { replace: true });
      return undefined;
    },
  );
  return (
    <div class="form">
      <Field
        label="Name"
        value={name}
        onValue={setName}
        maxLength={60}
        readOnly={start.isBusy.value}
      />
      <Composer
        takesFiles
        isWorking={false}
        canWait
        placeholder="Write the first message"
        onStop={() => undefined}
        onSend={(written) => start.run(toChannelId(name), written)}
      />
    </div>
  );
}

function nameFor(view: Topology): string {
  const labels = new Set((view.agents?.agents ?? []).map(({ label }) => label));
  return unusedName(labels, `chat-${newRequestId().slice(0, 8)}`);
}
