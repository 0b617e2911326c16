import { safeText } from './safe-text';
import type { Style, View } from './view';

/** A name and its value; entries with an empty value are omitted. */
export type Entry = readonly [name: string, value: string | number];

/** Shows an object as lines of names and values. */
export function recordView(data: unknown, entries: readonly Entry[]): View {
  return { data, render: (style) => renderRecord(entries, style) };
}

export function renderRecord(entries: readonly Entry[], { colours }: Style): string {
  const shown = entries.filter(([, value]) => value !== '');
  const width = Math.max(...shown.map(([name]) => name.length)) + 1;
  return shown
    .map(([name, value]) => {
      const lines = safeText(String(value)).replaceAll('\n', `\n${' '.repeat(width + 1)}`);
      return `${colours.dim(`${name}:`.padEnd(width))} ${lines}`;
    })
    .join('\n');
}
