import { fitCharacters } from './fit-characters';

const mostCharacters = 7_000;

/**
 * A list for a model: a line each, as many as fit into a result, and how many were left out. `count` is
 * how many there are when not all of them have a line.
 */
export function summaryOf(
  lines: readonly string[],
  whenEmpty: string,
  count = lines.length,
): string {
  if (count === 0) return whenEmpty;
  const shown = fitCharacters(lines, mostCharacters);
  const leftOut = count - shown.length;
  return [...shown, ...(leftOut > 0 ? [`… and ${leftOut} more`] : [])].join('\n');
}
