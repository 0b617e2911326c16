import { countCharacters, splitDelta } from './split-delta';
import type { LiveFeed } from '../../messaging';
import type { AgentSession } from '../sessions/agent-session';

export interface DeltaFeed {
  /** Publishes more of the answer in progress. */
  readonly add: (text: string) => void;
  /** To be called when the model starts its answer again from the beginning. */
  readonly restart: () => void;
  /** To be called when the answer is complete or has failed; nothing is published after that. */
  readonly end: () => void;
}

/**
 * Publishes the answer while the model is writing it. A delta continues the newest record, so nothing is
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
  let unpublished = '';
  /** How many characters of this attempt were published. */
  let position = 0;
  let isOver = false;
  const publish = (): void => {
    if (isOver) return;
    for (const piece of splitDelta(unpublished, position))
      feed.publishAgentEvent(
        { agentId, feed: connector },
        { kind: 'delta', ...piece, attempt, afterSequence },
      );
    position += countCharacters(unpublished);
    unpublished = '';
  };
  // If the step cannot be stored, nothing is published; other code ends the turn.
  if (!session.isStored) session.stored().then(publish, () => undefined);
  return {
    add(text) {
      unpublished += text;
      if (session.isStored) publish();
    },
    restart() {
      attempt += 1;
      position = 0;
      unpublished = '';
    },
    end() {
      isOver = true;
    },
  };
}
