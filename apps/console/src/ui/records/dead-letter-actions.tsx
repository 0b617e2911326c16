import type { Daycare } from '@daycare/client/browser';
import { useAction } from '../../data/action';
import { AskFirst } from '../ask-first';
import { Button } from '../button';

export interface DeadLetterActionsProps {
  /** The person's client, or an operator's. */
  readonly daycare: Daycare;
  readonly deadLetterId: string;
  /** What the buttons act on, for screen readers. */
  readonly subject: string;
  /** False if the message matched no agent; then there is no inbox to return it to, and only deletion is offered. */
  readonly canRetry?: boolean;
  /** Small buttons for a table; cards have larger ones. */
  readonly isQuiet?: boolean;
  /** Wraps each call, e.g. to handle a refused operator token. */
  readonly call?: <T>(act: () => Promise<T>) => Promise<T>;
  readonly onChanged: () => void;
}

/** Buttons that return a dead letter to its agent's inbox, or delete it. */
export function DeadLetterActions(props: DeadLetterActionsProps) {
  const { daycare, deadLetterId, subject, canRetry = true, isQuiet = false, onChanged } = props;
  const { call = (act) => act() } = props;
  const { agentRuntime } = daycare.rpc;
  const retry = useAction(async (requestId) => {
    await call(() => agentRuntime.retryDeadLetter({ requestId, deadLetterId }));
    onChanged();
    return 'Put back in the agent’s inbox.';
  });
  const remove = useAction(async (requestId) => {
    await call(() => agentRuntime.deleteDeadLetter({ requestId, deadLetterId }));
    onChanged();
    return 'Deleted.';
  });
  return (
    <>
      {canRetry && (
        <Button
          kind={isQuiet ? 'quiet' : 'primary'}
          busy={retry.isBusy}
          onClick={() => void retry.run()}
        >
          Try again <span class="hidden">{subject}</span>
        </Button>
      )}
      <AskFirst
        action={remove}
        title="Delete this message?"
        text="Its agent will never receive it. This cannot be undone."
        verb="Delete"
        kind={isQuiet ? 'quiet' : 'danger'}
      >
        Delete <span class="hidden">{subject}</span>
      </AskFirst>
    </>
  );
}
