import type { AssistantDelta } from '@daycare/contracts/agent-runtime';

/** The part of an unfinished answer that has been received so far. */
export interface Draft {
  readonly text: string;
  readonly attempt: number;
  /** The length of the attempt's text so far in characters (code points), including those that were missed. */
  readonly position: number;
}

const gap = ' … ';

/**
 * Adds a piece of text to a draft. A new attempt replaces the text of the previous one. Text that the draft already
 * has, or that comes from an earlier attempt, is ignored. Missed text is shown as a gap until the record with the whole
 * text arrives.
 */
export function applyDelta(draft: Draft | undefined, delta: AssistantDelta): Draft {
  const { attempt, position } = delta;
  const characters = Array.from(delta.text);
  if (draft && attempt < draft.attempt) return draft;
  const current = draft?.attempt === attempt ? draft : { text: '', attempt, position: 0 };
  const fresh = characters.slice(Math.max(0, current.position - position)).join('');
  const missed = position > current.position ? gap : '';
  return {
    attempt,
    text: `${current.text}${missed}${fresh}`,
    position: Math.max(current.position, position + characters.length),
  };
}
