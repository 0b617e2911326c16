import type { Agent } from '@daycare/contracts/agent-runtime';
import { useState } from 'preact/hooks';
import { useAction } from '../../../data/action';
import { daycare } from '../../../data/client';
import { ActionForm } from '../../../ui/action-form';
import { Button } from '../../../ui/button';
import { Dialog } from '../../../ui/dialog';
import { TextArea } from '../../../ui/field';
import { formatCount } from '../../../ui/format-count';
import { PageHead } from '../../../ui/layout';
import type { ConversationStore } from '../store/conversation-store';
import { Lifecycle } from './background-agents';

interface ConversationHeadProps {
  /** Undefined until loaded. */
  readonly agent: Agent | undefined;
  readonly name: string;
  readonly store: ConversationStore;
  readonly onShowBeginning: () => void;
}

/** The name of the conversation, what its agent is doing, and the buttons for the whole conversation. */
export function ConversationHead({ agent, name, store, onShowBeginning }: ConversationHeadProps) {
  const [isResetting, setResetting] = useState(false);
  const actions = agent && (
    <>
      {store.hasEarlier.value && (
        <Button kind="quiet" onClick={onShowBeginning}>
          To the beginning
        </Button>
      )}
      <Button kind="quiet" onClick={() => setResetting(true)}>
        Reset
      </Button>
    </>
  );
  return (
    <>
      <PageHead
        title={name}
        about={agent && <Facts agent={agent} store={store} />}
        actions={actions}
      />
      <ResetDialog
        agentId={store.agentId}
        isOpen={isResetting}
        onClose={() => setResetting(false)}
      />
    </>
  );
}

function Facts({ agent, store }: { readonly agent: Agent; readonly store: ConversationStore }) {
  return (
    <span class="conversation-facts">
      {store.isWorking.value && !agent.waiting ? (
        <span class="working" role="status">
          Working
        </span>
      ) : (
        <Lifecycle agent={agent} />
      )}
      <span>
        {agent.provider}/{agent.model}
      </span>
      <span>{formatCount(agent.contextTokens)} tokens of context</span>
    </span>
  );
}

function ResetDialog({
  agentId,
  isOpen,
  onClose,
}: {
  readonly agentId: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}) {
  const [message, setMessage] = useState('');
  const reset = useAction(async (requestId, firstText: string) => {
    await daycare.rpc.agentRuntime.resetAgent({ requestId, agentId, message: firstText });
    setMessage('');
    onClose();
    return 'The agent will start with a new context.';
  });
  return (
    <Dialog title="Clear the context?" isOpen={isOpen} onClose={onClose}>
      <ActionForm
        action={reset}
        onSubmit={() => void reset.run(message)}
        verb="Clear the context"
        kind="danger"
        onCancel={onClose}
      >
        <p>
          The agent stops what it is doing and forgets this conversation. Its history and its memory
          are kept.
        </p>
        <TextArea
          label="Message (optional)"
          hint="The new context begins with it."
          rows={2}
          value={message}
          onValue={setMessage}
        />
      </ActionForm>
    </Dialog>
  );
}
