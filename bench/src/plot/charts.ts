import { rateOf, type Cell, type Result } from '../measure/result';
import { listProcesses } from '../report/cpu-table';
import type { Report } from '../report/report';
import { drawBarChart, type Bar, type BarChart } from './bar-chart';
import { drawLineChart } from './line-chart';

/** One run, with its name in the charts, such as `before`. */
export interface NamedReport {
  readonly label: string;
  readonly report: Report;
}

/** A file name and its content. */
export interface ChartFile {
  readonly name: string;
  readonly svg: string;
}

const inFlight = 64;
const growthPrefix = 'growth: ';
/** The workloads with little data, with which those with more data are compared. */
const growthBases = [
  'social-graph SendFriendMessage, delivered',
  'social-graph ask and accept',
  'agent-runtime PostMessage, answered, 64 agents',
];

/** Draws all charts for which the runs have figures. */
export function drawCharts(runs: readonly NamedReport[]): ChartFile[] {
  const charts = [
    { name: 'cpu-per-operation.svg', svg: drawCpu(runs) },
    { name: 'share-of-bare-limit.svg', svg: drawShares(runs) },
    { name: 'growth.svg', svg: drawGrowth(runs) },
    { name: 'in-flight.svg', svg: drawInFlight(runs.at(-1)) },
  ];
  return charts.flatMap(({ name, svg }) => (svg === undefined ? [] : [{ name, svg }]));
}

function drawCpu(runs: readonly NamedReport[]): string | undefined {
  const names = namesOf(runs).filter((name) => !name.startsWith(growthPrefix));
  return drawCosts(runs, names, 'CPU time per operation by process, at most 64 in flight');
}

function drawGrowth(runs: readonly NamedReport[]): string | undefined {
  const grown = namesOf(runs).filter((name) => name.startsWith(growthPrefix));
  const names = grown.length > 0 ? [...growthBases, ...grown] : [];
  return drawCosts(runs, names, 'CPU time per operation with more data and more processes');
}

function drawCosts(
  runs: readonly NamedReport[],
  names: readonly string[],
  title: string,
): string | undefined {
  const groups = names.map((heading) => ({
    heading,
    bars: runs.flatMap(({ label, report }): Bar[] => {
      const costs = findBusiest(report, heading)?.costs;
      if (!costs) return [];
      const segments = Object.entries(costs.cpuUsBy).map(([name, value]) => ({ name, value }));
      return [{ label, segments }];
    }),
  }));
  const used = groups.flatMap(({ bars }) =>
    bars.map(({ segments }) =>
      Object.fromEntries(segments.map(({ name, value }) => [name, value])),
    ),
  );
  const segmentNames = listProcesses(used);
  const ordered = groups.map(({ heading, bars }) => ({
    heading,
    bars: bars.map((bar) => sortSegments(bar, segmentNames)),
  }));
  return drawIfAny({ title, unit: 'µs', segmentNames, groups: ordered });
}

function drawShares(runs: readonly NamedReport[]): string | undefined {
  const groups = namesOf(runs).flatMap((name) => {
    const limits = new Set(runs.flatMap(({ report }) => findResult(report, name)?.baseline ?? []));
    return [...limits].map((limit) => ({
      heading: `${name}, of ${limit}`,
      bars: runs.flatMap(({ label, report }) => shareBar(label, report, name, limit)),
    }));
  });
  const names = runs.map(({ label }) => label);
  const title = 'Operations per second as a share of the bare limit, 64 in flight';
  return drawIfAny({ title, unit: '× the bare limit', segmentNames: names, groups });
}

function shareBar(label: string, report: Report, name: string, limit: string): Bar[] {
  const [cell, bare] = [cellAt(report, name, inFlight), cellAt(report, limit, inFlight)];
  if (!cell || !bare || bare.requestsPerSecond === 0) return [];
  return [{ label, segments: [{ name: label, value: rateOf(cell) / bare.requestsPerSecond }] }];
}

function drawInFlight(run: NamedReport | undefined): string | undefined {
  const series = (run?.report.results ?? []).filter(({ cells }) => cells.length >= 4);
  const lines = series
    .filter(({ baseline }) => baseline.length > 0)
    .map(({ name, cells }) => ({
      name,
      points: cells.map((cell) => ({ x: cell.inFlight, y: rateOf(cell) })),
    }));
  const title = 'Operations per second by requests in flight';
  const labels = { title, xLabel: 'in flight', yLabel: 'operations per second' };
  return lines.length > 0 ? drawLineChart({ ...labels, lines }) : undefined;
}

function drawIfAny(chart: BarChart): string | undefined {
  const groups = chart.groups.filter(({ bars }) => bars.length > 0);
  return groups.length > 0 ? drawBarChart({ ...chart, groups }) : undefined;
}

function sortSegments(bar: Bar, names: readonly string[]): Bar {
  const positionOf = (name: string): number => names.indexOf(name);
  return {
    ...bar,
    segments: [...bar.segments].sort((a, b) => positionOf(a.name) - positionOf(b.name)),
  };
}

/** Returns the names of everything measured in any run, in order, bare limits first. */
function namesOf(runs: readonly NamedReport[]): string[] {
  return [...new Set(runs.flatMap(({ report }) => report.results.map(({ name }) => name)))];
}

function findResult(report: Report, name: string): Result | undefined {
  return report.results.find((result) => result.name === name);
}

function cellAt(report: Report, name: string, concurrency: number): Cell | undefined {
  return findResult(report, name)?.cells.find((cell) => cell.inFlight === concurrency);
}

/** Returns the cell with the most requests in flight, but not more than 64. */
function findBusiest(report: Report, name: string): Cell | undefined {
  return findResult(report, name)?.cells.findLast((cell) => cell.inFlight <= inFlight);
}
