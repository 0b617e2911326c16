import { setTimeout as delay } from 'node:timers/promises';
import type { Pace } from '../config';
import { costsBetween, type Counters, type IdleRates } from '../counters/costs';
import type { CounterReader } from '../counters/read-counters';
import type { BenchStack } from '../kit/bench-stack';
import type { FollowUp, PreparedProbe, Workload } from '../kit/workload';
import { meanRates, type BareLimits } from './bare-limits';
import { runClosedLoop, runSequence, type Figures } from './closed-loop';
import { runH2Load } from './h2load';
import type { Cell } from './result';
import { warmUp } from './warm-up';

export const concurrencies = [1, 16, 64, 256] as const;
const warmUpInFlight = 16;

export interface MeasureOptions {
  readonly pace: Pace;
  readonly h2load: boolean;
  readonly counters: CounterReader;
  readonly idle: IdleRates;
  readonly signal: AbortSignal;
  readonly limits: BareLimits;
  readonly onCell: (name: string, cell: Cell) => void;
}

/**
 * Measures one bare limit or workload at each of its concurrencies. Returns no cells if the services do not offer the
 * call; throws if a step fails or the signal is aborted.
 */
export async function measureProbe(
  probe: Workload,
  stack: BenchStack,
  options: MeasureOptions,
): Promise<Cell[]> {
  const prepared = await probe.prepare(stack);
  if (!prepared) return [];
  try {
    return await measureCells(probe, prepared, stack, options);
  } catch (error) {
    options.signal.throwIfAborted();
    throw new Error(`${probe.name}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  } finally {
    await prepared.close();
  }
}

async function measureCells(
  { name, baseline, inFlight: levels = concurrencies }: Workload,
  prepared: PreparedProbe,
  { scratchDir }: BenchStack,
  options: MeasureOptions,
): Promise<Cell[]> {
  const { pace, limits, signal } = options;
  const firstInFlight = Math.min(warmUpInFlight, Math.max(...levels));
  await warmUpProbe(prepared, firstInFlight, pace.maxFirstWarmUpMs, signal);
  const cells: Cell[] = [];
  for (const inFlight of levels) {
    const isSteady = prepared.supply
      ? true
      : await warmUpProbe(prepared, inFlight, pace.maxWarmUpMs, signal);
    const before = await limits.measure(baseline, inFlight);
    const measured = await measureCell(prepared, inFlight, options);
    const limitRates = meanRates(before, await limits.measure(baseline, inFlight));
    const h2loadRate = await measureWithH2Load(prepared, inFlight, scratchDir, options);
    const cell = { ...measured, ...h2loadRate, limits: limitRates, isSteady };
    signal.throwIfAborted();
    options.onCell(name, cell);
    cells.push(cell);
  }
  return cells;
}

/**
 * Warms up, and waits until all work from the warm-up is finished. Returns whether the rate has become steady; false if
 * the probe has a limited supply of requests.
 */
async function warmUpProbe(
  prepared: PreparedProbe,
  inFlight: number,
  maxMs: number,
  signal: AbortSignal,
): Promise<boolean> {
  const { followUp, supply } = prepared;
  if (supply) for (let call = 0; call < supply.warmUp; call += 1) await prepared.run();
  const isSteady = !supply && (await warmUp(() => prepared.run(), { inFlight, maxMs, signal }));
  await followUp?.drain();
  return isSteady;
}

/**
 * Measures one cell. Costs are counted until the work of all requests is finished, not just until they are answered.
 */
async function measureCell(
  prepared: PreparedProbe,
  inFlight: number,
  options: MeasureOptions,
): Promise<Omit<Cell, 'isSteady'>> {
  const { counters, idle } = options;
  const before = await readCounters(prepared, counters);
  const figures = await runAndMark(prepared, inFlight, options);
  await prepared.followUp?.drain();
  const after = await readCounters(prepared, counters);
  const costs = costsBetween(before, after, figures.allRequests, idle);
  const finished = prepared.followUp?.summarise();
  return { ...figures, ...(finished ? { finished } : {}), ...(costs ? { costs } : {}) };
}

async function readCounters(
  { processes, countModelCalls }: PreparedProbe,
  counters: CounterReader,
): Promise<Counters> {
  const read = await counters.read(processes);
  return countModelCalls ? { ...read, modelCalls: countModelCalls() } : read;
}

async function runAndMark(
  prepared: PreparedProbe,
  inFlight: number,
  { pace, signal }: MeasureOptions,
): Promise<Figures> {
  const { followUp, supply } = prepared;
  const run = (): Promise<unknown> => prepared.run();
  if (supply) return runSequence(run, supply.measured);
  const { leadInMs, measureMs } = pace;
  const loop = runClosedLoop(run, { leadInMs, measureMs, inFlight, signal });
  const marking = followUp ? markWindow(followUp, pace, signal) : undefined;
  const [figures] = await Promise.all([loop, marking]);
  return figures;
}

async function markWindow(
  followUp: FollowUp,
  { leadInMs, measureMs }: Pace,
  signal: AbortSignal,
): Promise<void> {
  for (const ms of [leadInMs, measureMs]) {
    await delay(ms, undefined, { signal });
    await followUp.mark();
  }
}

async function measureWithH2Load(
  { literal }: PreparedProbe,
  inFlight: number,
  scratchDir: string,
  { pace, signal, h2load }: MeasureOptions,
): Promise<Pick<Cell, 'h2loadPerSecond'>> {
  if (!h2load || !literal) return {};
  return { h2loadPerSecond: await runH2Load(literal, { ...pace, inFlight, scratchDir, signal }) };
}
