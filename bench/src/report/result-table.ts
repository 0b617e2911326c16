import { formatTable, type TableColumn } from '@daycare/terminal';
import type { Cell, Result } from '../measure/result';
import { formatCount, formatMs, formatDecimal } from './format-number';
import { ratiosOf } from './ratio';

interface CellColumn extends TableColumn {
  readonly show: (cell: Cell, result: Result, all: readonly Result[]) => string;
  /** The column is left out when no cell has a value for it. */
  readonly isOptional?: boolean;
}

const right = { align: 'right' } as const;
const optional = { ...right, isOptional: true } as const;

const columns: readonly CellColumn[] = [
  { heading: 'measured', show: (cell, { name, cells }) => (cell === cells[0] ? name : '') },
  { heading: 'in flight', ...right, show: ({ inFlight }) => String(inFlight) },
  { heading: 'req/s', ...right, show: (cell) => formatCount(cell.requestsPerSecond) },
  { heading: 'finished/s', ...optional, show: ({ finished }) => formatCount(finished?.perSecond) },
  { heading: 'turns/s', ...optional, show: (cell) => formatCount(cell.finished?.turnsPerSecond) },
  { heading: 'drain ms', ...optional, show: ({ finished }) => formatCount(finished?.drainMs) },
  { heading: 'p50 ms', ...right, show: ({ p50Ms }) => formatMs(p50Ms) },
  { heading: 'p99 ms', ...right, show: ({ p99Ms }) => formatMs(p99Ms) },
  { heading: 'errors', ...right, show: ({ errors }) => String(errors) },
  { heading: 'CPU µs/op', ...optional, show: ({ costs }) => formatCount(costs?.cpuUs) },
  { heading: 'commands/op', ...optional, show: ({ costs }) => formatDecimal(costs?.mongoCommands) },
  { heading: 'syncs/op', ...optional, show: ({ costs }) => formatDecimal(costs?.logSyncs) },
  { heading: 'NATS/op', ...optional, show: ({ costs }) => formatDecimal(costs?.natsMessages) },
  { heading: 'model calls/op', ...optional, show: ({ costs }) => formatDecimal(costs?.modelCalls) },
  { heading: 'ours %', ...optional, show: ({ costs }) => formatShare(costs?.ownShare) },
  { heading: 'h2load req/s', ...optional, show: (cell) => formatCount(cell.h2loadPerSecond) },
  { heading: 'of the bare limit', show: formatRatios },
];

/** Formats all results as one table. */
export function formatResults(results: readonly Result[]): string {
  const cells = results.flatMap((result) => result.cells.map((cell) => ({ cell, result })));
  const shown = columns
    .map((column) => ({
      column,
      texts: cells.map(({ cell, result }) => column.show(cell, result, results)),
    }))
    .filter(({ column, texts }) => !column.isOptional || texts.some((text) => text !== ''));
  const rows = cells.map((_, row) => shown.map(({ texts }) => texts[row]!));
  return formatTable(
    shown.map(({ column }) => column),
    rows,
    { hasRule: true },
  );
}

function formatRatios(cell: Cell, { baseline }: Result, all: readonly Result[]): string {
  return ratiosOf(cell, baseline, all)
    .map(({ baseline: name, ratio }) => `${ratio.toFixed(2)} × ${name}`)
    .join(', ');
}

function formatShare(share: number | undefined): string {
  return share === undefined ? '' : String(Math.round(share * 100));
}
