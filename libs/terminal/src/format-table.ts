import { fitWidths } from './fit-widths';
import { textWidth } from './text-width';
import { truncateText } from './truncate-text';

/** A table column: its heading and how its cells are laid out. */
export interface TableColumn {
  readonly heading: string;
  /** `left` if omitted. */
  readonly align?: 'left' | 'right';
  /** Whether the column's cells may be truncated to make the table fit. */
  readonly canShrink?: boolean;
}

export interface TableOptions {
  /** Draws a line below the headings. */
  readonly hasRule?: boolean;
  /**
   * The width to fit into. Cells of shrinkable columns are truncated first, then lines that are still too long.
   */
  readonly maxWidth?: number;
  /** Applied to the finished heading line, e.g. to make it bold. */
  readonly paintHeadings?: (line: string) => string;
}

const gap = '  ';

/** Lays out rows below their headings, each column as wide as its widest cell. */
export function formatTable(
  columns: readonly TableColumn[],
  rows: readonly (readonly string[])[],
  { hasRule = false, maxWidth = Infinity, paintHeadings = (line) => line }: TableOptions = {},
): string {
  const headings = columns.map(({ heading }) => heading);
  const fullWidths = columns.map((_, index) =>
    Math.max(...[headings, ...rows].map((row) => textWidth(row[index] ?? ''))),
  );
  const gaps = gap.length * (columns.length - 1);
  const widths = fitWidths(columns.map(toColumnLimits), fullWidths, maxWidth - gaps);
  const toLine = (row: readonly string[]): string => {
    const cells = columns.map((column, index) => {
      const width = widths[index] ?? 0;
      return pad(column, truncateText(row[index] ?? '', width), width);
    });
    return truncateText(cells.join(gap).trimEnd(), maxWidth);
  };
  const rule = hasRule ? [widths.map((width) => '─'.repeat(width))] : [];
  return [paintHeadings(toLine(headings)), ...[...rule, ...rows].map(toLine)].join('\n');
}

function toColumnLimits({ heading, canShrink = false }: TableColumn) {
  return { headingWidth: textWidth(heading), canShrink };
}

function pad({ align = 'left' }: TableColumn, text: string, width: number): string {
  const space = ' '.repeat(width - textWidth(text));
  return align === 'left' ? `${text}${space}` : `${space}${text}`;
}
