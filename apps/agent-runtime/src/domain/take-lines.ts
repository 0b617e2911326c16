import { cutText } from './cut-text';

export interface Lines {
  readonly text: string;
  /** How many lines were taken, and how many there are. */
  readonly count: number;
  readonly total: number;
  /** Whether the only line taken was too long to be taken whole. */
  readonly isCut: boolean;
}

/** Whole lines of a text from one on, as many as are wanted and fit; at least one, cut when it must be. */
export function takeLines(
  text: string,
  { offset, limit, mostCharacters }: { offset: number; limit: number; mostCharacters: number },
): Lines {
  const all = splitLines(text);
  const wanted = all.slice(offset, offset + limit);
  let left = mostCharacters;
  const overflow = wanted.findIndex((line) => (left -= JSON.stringify(line).length) < 0);
  const fitting = overflow < 0 ? wanted : wanted.slice(0, overflow);
  const [first] = wanted;
  if (fitting.length > 0 || first === undefined)
    return { text: fitting.join('\n'), count: fitting.length, total: all.length, isCut: false };
  return { text: cutText(first, mostCharacters), count: 1, total: all.length, isCut: true };
}

/** A line break at the end ends the last line and begins no other. */
function splitLines(text: string): string[] {
  const lines = text.split('\n');
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}
