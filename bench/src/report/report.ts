import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Pace } from '../config';
import type { MachineFacts } from './machine-facts';
import { ratiosOf } from './ratio';
import type { Cell, Ratio, Result } from './result';

/** Everything one run found out, as it is written to a file. */
export interface Report {
  readonly startedAt: string;
  readonly tookMs: number;
  readonly quick: boolean;
  readonly pace: Pace;
  readonly machine: MachineFacts;
  readonly results: readonly ReportedResult[];
  /** Reasons not to trust the figures; the run then counts as failed. */
  readonly failures: readonly string[];
}

interface ReportedResult extends Result {
  readonly cells: readonly (Cell & { readonly ratios: readonly Ratio[] })[];
}

/** Puts its ratios beside every cell. */
export function withRatios(results: readonly Result[]): ReportedResult[] {
  return results.map((result) => ({
    ...result,
    cells: result.cells.map((cell) => ({
      ...cell,
      ratios: ratiosOf(cell, result.baseline, results),
    })),
  }));
}

/** One sentence per cell that had errors, or in which nothing was answered in time to be counted. */
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
  return requests === 0 ? 'nothing was answered while it was measured' : undefined;
}

const quietShare = 0.1;

/** A sentence when other programs took so much of the machine that the figures mean little. */
export function describeDisturbance(results: readonly Result[]): string | undefined {
  const busiest = Math.max(0, ...results.map(({ busyBefore }) => busyBefore));
  if (busiest <= quietShare) return undefined;
  const percent = Math.round(busiest * 100);
  return `other programs used up to ${percent} % of this machine meanwhile; run it again when it is quiet`;
}

/** Writes the report under its time and as latest.json; returns the first path. */
export async function writeReport(report: Report, folder: string): Promise<string> {
  const text = `${JSON.stringify(report, null, 2)}\n`;
  const file = join(folder, `${report.startedAt.replaceAll(':', '-')}.json`);
  await mkdir(folder, { recursive: true });
  await Promise.all([file, join(folder, 'latest.json')].map((path) => writeFile(path, text)));
  return file;
}
