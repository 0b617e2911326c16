import type { DeadLetter } from '@daycare/contracts/agent-runtime';
import { agentName, labelOf } from '../../data/agent-names';
import { daycare } from '../../data/client';
import { refreshDeadLetters } from '../../data/dead-letters';
import { DeadLetterActions } from '../../ui/records/dead-letter-actions';
import { Card } from '../../ui/layout';
import { revealHidden } from '../../ui/reveal-hidden';
import { Time } from '../../ui/time/time';
import { describeOrigin } from '../conversation/log/describe-origin';

/** A message that an agent failed to handle. */
export function DeadLetterCard({ letter }: { readonly letter: DeadLetter }) {
  const { id: deadLetterId, agentId, origin, text, reason, attempts, deadAt } = letter;
  const from = origin === '' ? 'you' : revealHidden(describeOrigin(origin, '', labelOf).text);
  const subject = `the message from ${from}`;
  return (
    <Card
      actions={
        <DeadLetterActions {...{ daycare, deadLetterId, subject }} onChanged={refreshDeadLetters} />
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
        . Abandoned after {attempts === 1 ? 'one attempt' : `${attempts} attempts`},{' '}
        <Time at={deadAt} />.
      </p>
      <p class="dead-reason small">{reason}</p>
    </Card>
  );
}
