import { formatTable } from '@daycare/terminal';
import type { Result } from '../measure/result';
import { formatCount } from './format-number';

/** The processes in the order in which a call reaches them. */
const processOrder = [
  'bench',
  'echo',
  'gateway',
  'identity',
  'social-graph',
  'agent-runtime',
  'topology',
  'mongod',
  'nats',
];

/** Formats where one operation's CPU time goes, in microseconds by process. */
export function formatCpuTable(results: readonly Result[]): string {
  const cellsWithCosts = results.flatMap(({ name, cells }) =>
    cells.flatMap(({ inFlight, costs }) => (costs ? [{ name, inFlight, costs }] : [])),
  );
  const processes = listProcesses(cellsWithCosts.map(({ costs }) => costs.cpuUsBy));
  const rows = cellsWithCosts.map(({ name, inFlight, costs }) => [
    name,
    String(inFlight),
    ...processes.map((process) => formatCount(costs.cpuUsBy[process])),
    formatCount(costs.cpuUs),
  ]);
  const align = 'right' as const;
  const headings = ['in flight', ...processes, 'total'].map((heading) => ({ heading, align }));
  return formatTable([{ heading: 'CPU µs/op' }, ...headings], rows, { hasRule: true });
}

/** Returns all processes that used any time, known ones first. */
export function listProcesses(costs: readonly Readonly<Record<string, number>>[]): string[] {
  const used = new Set(costs.flatMap((cpuUsBy) => Object.keys(cpuUsBy)));
  const others = [...used].filter((name) => !processOrder.includes(name));
  return [...processOrder.filter((name) => used.has(name)), ...others];
}
