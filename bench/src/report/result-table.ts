import { ratiosOf } from './ratio';
import type { Cell, Result } from './result';
import { formatTable, type Column } from './table';

const columns: readonly Column[] = [
  { heading: 'measured', align: 'left' },
  { heading: 'in flight', align: 'right' },
  { heading: 'req/s', align: 'right' },
  { heading: 'p50 ms', align: 'right' },
  { heading: 'p99 ms', align: 'right' },
  { heading: 'errors', align: 'right' },
];
const ratioColumn: Column = { heading: 'of the bare limit', align: 'left' };
const h2loadColumn: Column = { heading: 'h2load req/s', align: 'right' };

/** All results as one table; the h2load column is there when anything was measured with it. */
export function formatResults(results: readonly Result[]): string {
  const withH2Load = results.some(({ cells }) =>
    cells.some(({ h2loadPerSecond }) => h2loadPerSecond !== undefined),
  );
  const rows = results.flatMap((result) =>
    result.cells.map((cell) => [
      ...formatCell(result.name, cell),
      ...(withH2Load ? [formatCount(cell.h2loadPerSecond)] : []),
      formatRatios(cell, result, results),
    ]),
  );
  return formatTable([...columns, ...(withH2Load ? [h2loadColumn] : []), ratioColumn], rows);
}

function formatCell(name: string, cell: Cell): string[] {
  return [
    cell.inFlight === 1 ? name : '',
    String(cell.inFlight),
    formatCount(cell.requestsPerSecond),
    formatMs(cell.p50Ms),
    formatMs(cell.p99Ms),
    String(cell.errors),
  ];
}

function formatRatios(cell: Cell, { baseline }: Result, all: readonly Result[]): string {
  return ratiosOf(cell, baseline, all)
    .map(({ baseline: name, ratio }) => `${ratio.toFixed(2)} × ${name}`)
    .join(', ');
}

export function formatCount(count: number | undefined): string {
  return count === undefined ? '' : Math.round(count).toLocaleString('en-US');
}

function formatMs(ms: number): string {
  return Number.isNaN(ms) ? '–' : ms.toFixed(2);
}
