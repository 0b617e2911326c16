import { truncateForJson } from './truncate-for-json';

export interface Lines {
  readonly text: string;
  /** The number of lines returned. */
  readonly count: number;
  /** The number of lines in the whole text. */
  readonly total: number;
  /** Whether the only line returned had to be truncated. */
  readonly isTruncated: boolean;
}

/**
 * Returns whole lines of a text from an offset on: as many as were requested and fit. If not even the first fits,
 * returns its beginning.
 */
export function takeLines(
  text: string,
  { offset, limit, maxCharacters }: { offset: number; limit: number; maxCharacters: number },
): Lines {
  const all = splitLines(text);
  const requested = all.slice(offset, offset + limit);
  let remaining = maxCharacters;
  const firstOverflow = requested.findIndex(
    (line) => (remaining -= JSON.stringify(line).length) < 0,
  );
  const fitting = firstOverflow < 0 ? requested : requested.slice(0, firstOverflow);
  const [first] = requested;
  if (fitting.length > 0 || first === undefined)
    return {
      text: fitting.join('\n'),
      count: fitting.length,
      total: all.length,
      isTruncated: false,
    };
  return {
    text: truncateForJson(first, maxCharacters),
    count: 1,
    total: all.length,
    isTruncated: true,
  };
}

/** A trailing line break ends the last line and does not start another. */
function splitLines(text: string): string[] {
  const lines = text.split('\n');
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}
