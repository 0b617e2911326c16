import type { Daycare } from '@daycare/client/browser';
import { useAction } from '../../data/action';
import { AskFirst } from '../ask-first';
import { Button } from '../button';

export interface DeadLetterActionsProps {
  /** As whom: the person, or an operator. */
  readonly daycare: Daycare;
  readonly deadLetterId: string;
  /** What the buttons are about, for screen readers. */
  readonly subject: string;
  /** Without an agent there is none to hand it back to. */
  readonly canRetry?: boolean;
  /** In a table; cards have larger ones. */
  readonly isQuiet?: boolean;
  /** Makes the calls; an operator's token may be refused. */
  readonly call?: <T>(act: () => Promise<T>) => Promise<T>;
  readonly onChanged: () => void;
}

/** Hands a message that could not be handled back to its agent, or deletes it. */
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
        text="Its agent never receives it. This cannot be undone."
        verb="Delete"
        kind={isQuiet ? 'quiet' : 'danger'}
      >
        Delete <span class="hidden">{subject}</span>
      </AskFirst>
    </>
  );
}
