import { textWidth } from './text-width';

/** Lays out names and their values, one pair on a line, with the values aligned. */
export function formatPairs(pairs: readonly (readonly [name: string, value: string])[]): string {
  const width = Math.max(...pairs.map(([name]) => textWidth(name)));
  const toLine = ([name, value]: readonly [string, string]): string =>
    `${name}${' '.repeat(width - textWidth(name))}  ${value}`.trimEnd();
  return pairs.map(toLine).join('\n');
}
