import { fitCharacters } from './fit-characters';

const maxCharacters = 7_000;

/**
 * Renders a list for a model: one line per entry, as many as fit, and how many were omitted. `count` is the total
 * number of entries, in case `lines` does not contain all of them.
 */
export function summaryOf(
  lines: readonly string[],
  whenEmpty: string,
  count = lines.length,
): string {
  if (count === 0) return whenEmpty;
  const shown = fitCharacters(lines, maxCharacters);
  const omitted = count - shown.length;
  return [...shown, ...(omitted > 0 ? [`… and ${omitted} more`] : [])].join('\n');
}
