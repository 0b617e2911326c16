/** One column of a table: its heading and which side its cells lean to. */
export interface Column {
  readonly heading: string;
  readonly align: 'left' | 'right';
}

/** Lays rows out under their headings, each column as wide as its widest cell. */
export function formatTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
): string {
  const headings = columns.map(({ heading }) => heading);
  const widths = columns.map((_, index) =>
    Math.max(...[headings, ...rows].map((row) => row[index]?.length ?? 0)),
  );
  const rule = widths.map((width) => '─'.repeat(width));
  const lay = (row: readonly string[]): string =>
    columns.map((column, index) => pad(column, row[index] ?? '', widths[index] ?? 0)).join('  ');
  return [headings, rule, ...rows].map((row) => lay(row).trimEnd()).join('\n');
}

function pad({ align }: Column, text: string, width: number): string {
  return align === 'left' ? text.padEnd(width) : text.padStart(width);
}
