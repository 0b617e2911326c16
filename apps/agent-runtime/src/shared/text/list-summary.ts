import { fitCharacters } from './fit-characters';

const maxCharacters = 7_000;

/**
 * A list for a model: one line per entry, as many as fit, and how many were omitted. `count` is the number of
 * all entries, if `lines` does not have all of them.
 */
export function summaryOf(
  lines: readonly string[],
  whenEmpty: string,
  count = lines.length,
): string {
  if (count === 0) return whenEmpty;
  const shown = fitCharacters(lines, maxCharacters);
  const leftOut = count - shown.length;
  return [...shown, ...(leftOut > 0 ? [`… and ${leftOut} more`] : [])].join('\n');
}
