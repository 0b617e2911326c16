import { formatCount, formatDecimal } from '../report/format-number';
import type { Report } from '../report/report';
import { comparisonRows, type ComparisonRow } from './comparison-rows';

const headings = ['', 'goal', 'before', 'after', 'reached'];
const costHeadings = ['CPU µs/op before', 'after', 'commands/op before', 'after'];

/** Formats two runs side by side as a Markdown table, leaving out rows that neither run has measured. */
export function compareReports(before: Report, after: Report): string {
  const rows = comparisonRows
    .filter(({ valueOf }) => valueOf(before) !== undefined || valueOf(after) !== undefined)
    .map((row) => formatRow(row, before, after));
  return formatMarkdownTable([...headings, ...costHeadings], rows);
}

function formatRow(row: ComparisonRow, before: Report, after: Report): string[] {
  const { what, goal, unit, valueOf, isReached, cellOf } = row;
  const [old, now] = [valueOf(before), valueOf(after)];
  const costs = [cellOf(before)?.costs, cellOf(after)?.costs];
  const reached = now === undefined ? '' : isReached(now, old) ? 'yes' : 'no';
  return [
    ...[what, goal, formatValue(old, unit), formatValue(now, unit), reached],
    ...costs.map((cost) => formatCount(cost?.cpuUs)),
    ...costs.map((cost) => formatDecimal(cost?.mongoCommands)),
  ];
}

const formats: Readonly<Record<ComparisonRow['unit'], (value: number) => string>> = {
  times: (value) => `${value.toFixed(2)} ×`,
  ms: (value) => `${value.toFixed(1)} ms`,
  count: (value) => value.toFixed(2),
  percent: (value) => `${(value * 100).toFixed(1)} %`,
  growth: (value) => `${value < 0 ? '−' : '+'}${Math.abs(value * 100).toFixed(0)} %`,
};

function formatValue(value: number | undefined, unit: ComparisonRow['unit']): string {
  return value === undefined ? '–' : formats[unit](value);
}

/** Aligns the first two columns to the left and the others to the right. */
function formatMarkdownTable(
  columns: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const toLine = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const rule = columns.map((_, index) => (index < 2 ? '---' : '---:'));
  return [columns, rule, ...rows].map(toLine).join('\n');
}
