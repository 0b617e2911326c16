import type { AssistantDelta } from '@daycare/contracts/agent-runtime';

/** The part of the in-progress answer received so far. */
export interface Draft {
  readonly text: string;
  readonly attempt: number;
  /** The length of the attempt so far in characters (code points), including those that were missed. */
  readonly position: number;
}

const gap = ' … ';

/**
 * Adds a piece of text to a draft. A new attempt replaces the text of the previous one. Missed text is shown as a gap
 * until the record with the whole text arrives.
 */
export function applyDelta(draft: Draft | undefined, delta: AssistantDelta): Draft {
  const { attempt, position } = delta;
  const characters = Array.from(delta.text);
  if (draft && attempt < draft.attempt) return draft;
  const known = draft?.attempt === attempt ? draft : { text: '', attempt, position: 0 };
  const fresh = characters.slice(Math.max(0, known.position - position)).join('');
  const missed = position > known.position ? gap : '';
  return {
    attempt,
    text: `${known.text}${missed}${fresh}`,
    position: Math.max(known.position, position + characters.length),
  };
}
