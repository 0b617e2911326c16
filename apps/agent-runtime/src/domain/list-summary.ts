import { fitCharacters } from './fit-characters';

const mostCharacters = 7_000;

/** A list for a model: a line each, as many as fit into a result, and how many were left out. */
export function summaryOf(lines: readonly string[], whenEmpty: string): string {
  if (lines.length === 0) return whenEmpty;
  const shown = fitCharacters(lines, mostCharacters);
  const leftOut = lines.length - shown.length;
  return [...shown, ...(leftOut > 0 ? [`… and ${leftOut} more`] : [])].join('\n');
}
