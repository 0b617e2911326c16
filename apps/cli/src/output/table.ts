import { formatTable } from '@daycare/terminal';
import { safeLine } from './safe-text';
import type { Style, View } from './view';

/** One column of a table: its title and what it shows of a row. */
export type Column<Row> = readonly [title: string, cell: (row: Row) => string | number];

/** A list as a table; shows `empty` in its place when it has no rows. */
export function tableView<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  empty: string,
): View {
  return { data: rows, render: (style) => renderTable(rows, columns, empty, style) };
}

/** Aligned cells below bold titles, with a dash for an empty cell. */
export function renderTable<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  empty: string,
  { colours, width }: Style,
): string {
  if (rows.length === 0) return empty;
  const headings = columns.map(([heading]) => ({ heading }));
  const cells = rows.map((row) => columns.map(([, cell]) => safeLine(String(cell(row))) || '-'));
  return formatTable(headings, cells, { maxWidth: width, paintHeadings: colours.bold });
}
