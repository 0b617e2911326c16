import { formatTable } from '@daycare/terminal';
import { toAge } from './age';
import { identify } from './identify';
import { safeLine } from './safe-text';
import { distinctLength, isId } from './short-id';
import type { Style, View } from './view';
import { toTime } from './words';

type Cell = string | number | Date | undefined;

/**
 * How a column is shown: `long` text may be truncated to fit, an `id` is shortened, and a `wide` column is shown only
 * with `-o wide`, which also shows ids and times in full. Without that option, a `Date` in any column is shown as its
 * age.
 */
export type ColumnKind = 'long' | 'id' | 'wide';

/** One column of a table: its title, and what it shows for a row. */
export type Column<Row> = readonly [title: string, cell: (row: Row) => Cell, kind?: ColumnKind];

/** Shows a list as a table, or `empty` if there are no rows. */
export function tableView<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  empty: string,
): View {
  return {
    data: rows,
    render: (style) => renderTable(rows, columns, empty, style),
    names: rows.map((row) => identify(row)),
  };
}

/** Renders aligned cells below bold titles, with a dash for an empty cell. */
export function renderTable<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  empty: string,
  { colours, width, isWide = false, now = new Date() }: Style,
): string {
  if (rows.length === 0) return empty;
  const shown = columns.filter(([, , kind]) => isWide || kind !== 'wide');
  const cells = shown.map(([, cell, kind]) => {
    const values = rows.map(cell);
    const text = isWide ? toText : kind === 'id' ? shorten(values) : toBrief(now);
    return values.map((value) => safeLine(text(value)) || '-');
  });
  const headings = shown.map(([heading, , kind]) => ({
    heading,
    canShrink: kind === 'long' || kind === 'wide',
  }));
  const lines = rows.map((_, row) => cells.map((column) => column[row] ?? ''));
  return formatTable(headings, lines, { maxWidth: width, paintHeadings: colours.bold });
}

function toText(value: Cell): string {
  return value instanceof Date ? toTime(value) : String(value ?? '');
}

function toBrief(now: Date): (value: Cell) => string {
  return (value) => (value instanceof Date ? toAge(value, now) : toText(value));
}

function shorten(values: readonly Cell[]): (value: Cell) => string {
  const length = distinctLength(values.map(toText));
  return (value) => {
    const text = toText(value);
    return isId(text) ? text.slice(0, length) : text;
  };
}
