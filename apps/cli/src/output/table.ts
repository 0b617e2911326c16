import { safeLine } from './safe-text';
import type { Style, View } from './view';

/** One column of a table: its title and what it shows of a row. */
export type Column<Row> = readonly [title: string, cell: (row: Row) => string | number];

const gap = '  ';

/** A list as a table; `empty` is said in its place when there is nothing in it. */
export function tableView<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  empty: string,
): View {
  return { data: rows, render: (style) => renderTable(rows, columns, empty, style) };
}

/** Lines of aligned cells below their titles; what does not fit a terminal's width is cut. */
export function renderTable<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  empty: string,
  { colours, width }: Style,
): string {
  if (rows.length === 0) return empty;
  const cells = rows.map((row) => columns.map(([, cell]) => safeLine(String(cell(row))) || '-'));
  const titles = columns.map(([title]) => title);
  const widths = titles.map((title, index) =>
    Math.max(title.length, ...cells.map((line) => line[index]?.length ?? 0)),
  );
  const toLine = (line: readonly string[]): string =>
    cut(line.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join(gap), width);
  return [colours.bold(toLine(titles)), ...cells.map(toLine)].join('\n');
}

function cut(line: string, width: number): string {
  const trimmed = line.trimEnd();
  return trimmed.length > width ? `${trimmed.slice(0, width - 1)}…` : trimmed;
}
