import { cutText } from './cut-text';

export interface Lines {
  readonly text: string;
  /** The number of lines returned, and the total. */
  readonly count: number;
  readonly total: number;
  /** Whether the only line returned had to be cut. */
  readonly isCut: boolean;
}

/**
 * Whole lines of a text from an offset on: as many as were requested and fit, but at least one, cut if
 * necessary.
 */
export function takeLines(
  text: string,
  { offset, limit, maxCharacters }: { offset: number; limit: number; maxCharacters: number },
): Lines {
  const all = splitLines(text);
  const wanted = all.slice(offset, offset + limit);
  let left = maxCharacters;
  const overflow = wanted.findIndex((line) => (left -= JSON.stringify(line).length) < 0);
  const fitting = overflow < 0 ? wanted : wanted.slice(0, overflow);
  const [first] = wanted;
  if (fitting.length > 0 || first === undefined)
    return { text: fitting.join('\n'), count: fitting.length, total: all.length, isCut: false };
  return { text: cutText(first, maxCharacters), count: 1, total: all.length, isCut: true };
}

/** A trailing line break ends the last line and does not start another. */
function splitLines(text: string): string[] {
  const lines = text.split('\n');
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}
