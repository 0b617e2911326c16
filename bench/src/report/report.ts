import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Pace } from '../config';
import type { Rest } from '../counters/costs';
import type { MachineFacts } from './machine-facts';
import { ratiosOf } from './ratio';
import type { Cell, Ratio, Result } from '../measure/result';

/** The results of one run, as written to a file. */
export interface Report {
  readonly startedAt: string;
  readonly tookMs: number;
  readonly quick: boolean;
  readonly pace: Pace;
  readonly machine: MachineFacts;
  /** The stack's activity without any calls; its counts are subtracted from the total counts in the costs. */
  readonly rest: Rest;
  readonly results: readonly ReportedResult[];
  /** Reasons not to trust the figures; the run then counts as failed. */
  readonly failures: readonly string[];
}

interface ReportedResult extends Result {
  readonly cells: readonly (Cell & { readonly ratios: readonly Ratio[] })[];
}

/** Adds to every cell its ratios to the baselines. */
export function withRatios(results: readonly Result[]): ReportedResult[] {
  return results.map((result) => ({
    ...result,
    cells: result.cells.map((cell) => ({
      ...cell,
      ratios: ratiosOf(cell, result.baseline, results),
    })),
  }));
}

/** Returns one sentence per cell with errors or without a completed request. */
export function findFailures(results: readonly Result[]): string[] {
  return results.flatMap(({ name, cells }) =>
    cells.flatMap((cell) => {
      const reason = explainFailure(cell);
      return reason ? [`${name}, ${cell.inFlight} in flight: ${reason}`] : [];
    }),
  );
}

function explainFailure({ errors, firstError, requests }: Cell): string | undefined {
  if (errors > 0) return `${errors} failed, the first with "${firstError}"`;
  return requests === 0 ? 'no request completed within the measured time' : undefined;
}

const maxBusyShare = 0.1;

/** Returns a warning if other programs used so much of the machine that the figures are unreliable. */
export function describeDisturbance(results: readonly Result[]): string | undefined {
  const busiest = Math.max(0, ...results.map(({ busyBefore }) => busyBefore));
  if (busiest <= maxBusyShare) return undefined;
  const percent = Math.round(busiest * 100);
  return `other programs used up to ${percent} % of this machine; run the bench again when it is idle`;
}

/** Writes the report as <start time>.json and as latest.json; returns the former path. */
export async function writeReport(report: Report, folder: string): Promise<string> {
  const text = `${JSON.stringify(report, null, 2)}\n`;
  const file = join(folder, `${report.startedAt.replaceAll(':', '-')}.json`);
  await mkdir(folder, { recursive: true });
  await Promise.all([file, join(folder, 'latest.json')].map((path) => writeFile(path, text)));
  return file;
}
