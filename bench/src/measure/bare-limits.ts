import { baselines } from '../baselines';
import type { Pace } from '../config';
import { costsBetween, type IdleRates } from '../counters/costs';
import type { CounterReader } from '../counters/read-counters';
import type { BenchStack } from '../kit/bench-stack';
import type { BaselineName, Prepared } from '../kit/workload';
import { runClosedLoop } from './closed-loop';
import type { BareRate } from './result';

export interface LimitOptions {
  readonly pace: Pace;
  readonly counters: CounterReader;
  readonly idle: IdleRates;
  readonly signal: AbortSignal;
}

/** The rates of some bare limits at one moment. */
export type BareRates = ReadonlyMap<BaselineName, BareRate>;

/** A limit is measured twice, so each time may be shorter than that of the workload in between. */
const shareOfPace = 0.4;

/**
 * Measures bare limits right before and right after a workload: the speed of a shared machine drifts within minutes,
 * so what was measured at the start of a run is no measure for its end.
 */
export class BareLimits {
  readonly #prepared: ReadonlyMap<BaselineName, Prepared>;

  private constructor(prepared: ReadonlyMap<BaselineName, Prepared>) {
    this.#prepared = prepared;
  }

  static async open(stack: BenchStack, names: ReadonlySet<BaselineName>): Promise<BareLimits> {
    const prepared = new Map<BaselineName, Prepared>();
    for (const probe of baselines.filter(({ name }) => names.has(name))) {
      const ready = await probe.prepare(stack);
      if (ready) prepared.set(probe.name, ready);
    }
    return new BareLimits(prepared);
  }

  /** Limits that were not opened are left out. */
  async measure(
    names: readonly BaselineName[],
    inFlight: number,
    options: LimitOptions,
  ): Promise<BareRates> {
    const rates = new Map<BaselineName, BareRate>();
    for (const name of names) {
      const prepared = this.#prepared.get(name);
      if (prepared) rates.set(name, await measureLimit(prepared, inFlight, options));
    }
    return rates;
  }

  async close(): Promise<void> {
    for (const prepared of this.#prepared.values()) await prepared.close();
  }
}

async function measureLimit(
  prepared: Prepared,
  inFlight: number,
  { pace, counters, idle, signal }: LimitOptions,
): Promise<BareRate> {
  const leadInMs = pace.leadInMs * shareOfPace;
  const measureMs = pace.measureMs * shareOfPace;
  const before = await counters.read(prepared.processes);
  const figures = await runClosedLoop(() => prepared.run(), {
    leadInMs,
    measureMs,
    inFlight,
    signal,
  });
  const after = await counters.read(prepared.processes);
  const cpuUs = costsBetween(before, after, figures.allRequests, idle)?.cpuUs ?? 0;
  return { perSecond: figures.requestsPerSecond, cpuUs };
}

/** The means of what was measured before and after. */
export function meanRates(before: BareRates, after: BareRates): Record<string, BareRate> {
  const pairs = [...before].map(([name, one]) => {
    const other = after.get(name) ?? one;
    const perSecond = (one.perSecond + other.perSecond) / 2;
    return [name, { perSecond, cpuUs: (one.cpuUs + other.cpuUs) / 2 }] as const;
  });
  return Object.fromEntries(pairs);
}
