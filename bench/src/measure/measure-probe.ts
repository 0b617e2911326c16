import type { BenchStack } from '../bench-stack';
import type { Pace } from '../config';
import type { Cell } from '../report/result';
import type { Prepared, Probe } from '../workload';
import { runClosedLoop } from './closed-loop';
import { runH2Load } from './h2load';

export const concurrencies = [1, 16, 64] as const;
const warmUpInFlight = 16;

export interface MeasureOptions {
  readonly pace: Pace;
  readonly h2load: boolean;
  readonly signal: AbortSignal;
  readonly onCell: (name: string, cell: Cell) => void;
}

/** Measures one bare limit or workload at every concurrency; throws once the signal is aborted. */
export async function measureProbe(
  probe: Probe,
  stack: BenchStack,
  options: MeasureOptions,
): Promise<Cell[]> {
  const prepared = await probe.prepare(stack);
  const cells: Cell[] = [];
  try {
    await warmUp(probe, prepared, options);
    for (const inFlight of probe.inFlight ?? concurrencies) {
      const cell = await measureCell(prepared, inFlight, stack.scratchDir, options);
      options.signal.throwIfAborted();
      options.onCell(probe.name, cell);
      cells.push(cell);
    }
    return cells;
  } finally {
    await prepared.close();
  }
}

async function warmUp(
  { name, inFlight = [warmUpInFlight] }: Probe,
  prepared: Prepared,
  { pace, signal }: MeasureOptions,
): Promise<void> {
  const { errors, firstError } = await runClosedLoop(() => prepared.run(), {
    inFlight: Math.min(warmUpInFlight, ...inFlight),
    warmUpMs: pace.firstWarmUpMs,
    measureMs: 0,
    signal,
  });
  if (errors > 0) throw new Error(`${name} failed while warming up: ${firstError}`);
}

async function measureCell(
  prepared: Prepared,
  inFlight: number,
  scratchDir: string,
  { pace, h2load, signal }: MeasureOptions,
): Promise<Cell> {
  const loop = { ...pace, inFlight, signal };
  const figures = await runClosedLoop(() => prepared.run(), loop);
  if (!h2load || !prepared.literal || figures.errors > 0) return figures;
  const h2loadPerSecond = await runH2Load(prepared.literal, { ...loop, scratchDir });
  return { ...figures, h2loadPerSecond };
}
