import { countCharacters, cutDelta } from './cut-delta';
import type { LiveFeed } from '../../messaging';
import type { AgentSession } from '../sessions/agent-session';

export interface DeltaFeed {
  /** Shows watchers more of the answer that the model is writing. */
  readonly add: (text: string) => void;
  /** The model starts its answer over. */
  readonly restart: () => void;
  /** The answer is complete, or there will be none. */
  readonly end: () => void;
}

/**
 * Publishes the text that the model is writing. A delta continues the newest record, so nothing is
 * published before that record is stored. If the answer is complete by then, none of its deltas are
 * published.
 */
export function openDeltaFeed(
  session: AgentSession,
  firstAttempt: number,
  feed: Pick<LiveFeed, 'publishAgentEvent'>,
): DeltaFeed {
  const { lastSequence: afterSequence } = session.state;
  const { id: agentId, feed: connector } = session.agent;
  let attempt = firstAttempt;
  let held = '';
  /** How many characters of this attempt were published. */
  let position = 0;
  let isOver = false;
  const publishHeld = (): void => {
    if (isOver) return;
    for (const piece of cutDelta(held, position))
      feed.publishAgentEvent(
        { agentId, feed: connector },
        { kind: 'delta', ...piece, attempt, afterSequence },
      );
    position += countCharacters(held);
    held = '';
  };
  // If the step cannot be stored, nothing is published; other code ends the turn.
  if (!session.isStored) session.stored().then(publishHeld, () => undefined);
  return {
    add(text) {
      held += text;
      if (session.isStored) publishHeld();
    },
    restart() {
      attempt += 1;
      position = 0;
      held = '';
    },
    end() {
      isOver = true;
    },
  };
}
