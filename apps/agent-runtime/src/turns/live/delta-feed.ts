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
 * Publishes what the model writes. A delta continues the newest record, so nothing is published before
 * that is stored; of an answer that is complete by then, nothing is.
 */
export function openDeltaFeed(
  session: AgentSession,
  firstAttempt: number,
  feed: Pick<LiveFeed, 'publishAgentEvent'>,
): DeltaFeed {
  const { lastSequence: afterSequence } = session.state;
  const { id } = session.agent;
  let attempt = firstAttempt;
  let held = '';
  let isOver = false;
  const publish = (text: string): void => {
    if (text !== '' && !isOver)
      feed.publishAgentEvent(id, { kind: 'delta', text, attempt, afterSequence });
  };
  const publishHeld = (): void => {
    publish(held);
    held = '';
  };
  // A step that cannot be stored ends the turn elsewhere.
  if (!session.isStored) session.stored().then(publishHeld, () => undefined);
  return {
    add(text) {
      held += text;
      if (session.isStored) publishHeld();
    },
    restart() {
      attempt += 1;
      held = '';
    },
    end() {
      isOver = true;
    },
  };
}
