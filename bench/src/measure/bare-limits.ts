import { baselines } from '../baselines';
import type { Pace } from '../config';
import type { BenchStack } from '../kit/bench-stack';
import type { BaselineName, PreparedProbe } from '../kit/workload';
import { runClosedLoop } from './closed-loop';
import { warmUp } from './warm-up';

/** Requests per second of some bare limits. */
export type BareRates = Readonly<Partial<Record<BaselineName, number>>>;

interface LoopOptions {
  readonly pace: Pick<Pace, 'leadInMs' | 'measureMs' | 'maxWarmUpMs'>;
  readonly signal: AbortSignal;
}

/** A limit is measured twice, so each time may be shorter than the measurement of the cell in between. */
const shareOfPace = 0.4;
const warmUpInFlight = 64;

/**
 * Measures bare limits right before and right after each cell of a workload: the speed of a shared machine drifts
 * within seconds, so a limit measured at the start of a run says little about its end.
 */
export class BareLimits {
  readonly #prepared = new Map<BaselineName, PreparedProbe>();

  constructor(private readonly options: LoopOptions) {}

  /** Prepares these limits and warms each up until its rate is steady. Call `close` even when this fails. */
  async open(stack: BenchStack, names: ReadonlySet<BaselineName>): Promise<void> {
    const { pace, signal } = this.options;
    const options = { inFlight: warmUpInFlight, maxMs: pace.maxWarmUpMs, signal };
    for (const probe of baselines.filter(({ name }) => names.has(name))) {
      const prepared = await probe.prepare(stack);
      if (!prepared) continue;
      this.#prepared.set(probe.name, prepared);
      await warmUp(() => prepared.run(), options);
    }
  }

  /** Measures these limits, leaving out any that were not opened. */
  async measure(names: readonly BaselineName[], inFlight: number): Promise<BareRates> {
    const rates: Partial<Record<BaselineName, number>> = {};
    for (const name of names) {
      const prepared = this.#prepared.get(name);
      if (prepared) rates[name] = await this.#measureOne(name, prepared, inFlight);
    }
    return rates;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#prepared.values()].map((prepared) => prepared.close()));
  }

  async #measureOne(name: string, prepared: PreparedProbe, inFlight: number): Promise<number> {
    const { pace, signal } = this.options;
    const leadInMs = pace.leadInMs * shareOfPace;
    const measureMs = pace.measureMs * shareOfPace;
    const loop = { leadInMs, measureMs, inFlight, signal };
    const { requestsPerSecond, firstError } = await runClosedLoop(() => prepared.run(), loop);
    if (firstError !== undefined) throw new Error(`${name} failed with "${firstError}"`);
    return requestsPerSecond;
  }
}

/** Returns, for each limit, the mean of the rates before and after, or the rate before if there is none after. */
export function meanRates(before: BareRates, after: BareRates): BareRates {
  const names = Object.keys(before) as BaselineName[];
  const means = names.map((name) => {
    const rateBefore = before[name] ?? 0;
    return [name, (rateBefore + (after[name] ?? rateBefore)) / 2] as const;
  });
  return Object.fromEntries(means);
}
