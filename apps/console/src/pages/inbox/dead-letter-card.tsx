import type { DeadLetter } from '@daycare/contracts/agent-runtime';
import { useAction } from '../../data/action';
import { agentName, labelOf } from '../../data/agent-names';
import { daycare } from '../../data/client';
import { refreshDeadLetters } from '../../data/dead-letters';
import { AskFirst } from '../../ui/ask-first';
import { Button } from '../../ui/button';
import { Card } from '../../ui/layout';
import { revealHidden } from '../../ui/reveal-hidden';
import { Time } from '../../ui/time';
import { describeOrigin } from '../conversation/log/describe-origin';

/** A message that an agent has given up. */
export function DeadLetterCard({ letter }: { readonly letter: DeadLetter }) {
  const { id: deadLetterId, agentId, origin, text, reason, attempts, deadAt } = letter;
  const { agentRuntime } = daycare.rpc;
  const from = origin === '' ? 'you' : revealHidden(describeOrigin(origin, '', labelOf).text);
  const subject = `the message from ${from}`;
  const retry = useAction(async (requestId) => {
    await agentRuntime.retryDeadLetter({ requestId, deadLetterId });
    refreshDeadLetters();
    return 'Put back in the agent’s inbox.';
  });
  const remove = useAction(async (requestId) => {
    await agentRuntime.deleteDeadLetter({ requestId, deadLetterId });
    refreshDeadLetters();
    return 'Deleted.';
  });
  return (
    <Card
      actions={
        <>
          <Button kind="primary" busy={retry.isBusy} onClick={() => void retry.run()}>
            Try again <span class="hidden">{subject}</span>
          </Button>
          <AskFirst
            action={remove}
            title="Delete this message?"
            text="Its agent never receives it. This cannot be undone."
            verb="Delete"
          >
            Delete <span class="hidden">{subject}</span>
          </AskFirst>
        </>
      }
    >
      <p class="dead-text">{text === '' ? 'A message without text' : text}</p>
      <p class="muted small">
        From {from}
        {agentId !== '' && (
          <>
            {' to '}
            <a href={`/agents/${agentId}`}>
              <bdi>{revealHidden(agentName(agentId))}</bdi>
            </a>
          </>
        )}
        . Given up after {attempts === 1 ? 'one attempt' : `${attempts} attempts`},{' '}
        <Time at={deadAt} />.
      </p>
      <p class="dead-reason small">{reason}</p>
    </Card>
  );
}
