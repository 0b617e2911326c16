import { percentileOf } from './percentile';

export interface LoopOptions {
  readonly inFlight: number;
  /** Requests that end in this time are made but not counted. */
  readonly warmUpMs: number;
  readonly measureMs: number;
  /** Ends the loop early; its figures are then of no use. */
  readonly signal?: AbortSignal;
  readonly now?: () => number;
}

/** What one closed loop showed. */
export interface Figures {
  readonly inFlight: number;
  /** Requests answered within the measured time. */
  readonly requests: number;
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Failed requests, warm-up included. */
  readonly errors: number;
  readonly firstError?: string;
}

interface Tally {
  readonly latenciesMs: number[];
  errors: number;
  firstError?: string;
}

/**
 * Keeps `inFlight` requests under way: each lane sends its next request when the last one was
 * answered. A lane ends at its first failure, so that a dead server is not hammered.
 */
export async function runClosedLoop(
  request: () => Promise<unknown>,
  options: LoopOptions,
): Promise<Figures> {
  const tally: Tally = { latenciesMs: [], errors: 0 };
  const now = options.now ?? (() => performance.now());
  const fromMs = now() + options.warmUpMs;
  const window = { now, fromMs, untilMs: fromMs + options.measureMs, signal: options.signal };
  const lanes = Array.from({ length: options.inFlight }, () => runLane(request, window, tally));
  await Promise.all(lanes);
  return summarize(tally, options);
}

interface Window {
  readonly now: () => number;
  readonly fromMs: number;
  readonly untilMs: number;
  readonly signal: AbortSignal | undefined;
}

async function runLane(
  request: () => Promise<unknown>,
  { now, fromMs, untilMs, signal }: Window,
  tally: Tally,
): Promise<void> {
  try {
    for (let sentMs = now(); sentMs < untilMs && !signal?.aborted; sentMs = now()) {
      await request();
      const endedMs = now();
      if (endedMs >= fromMs && endedMs < untilMs) tally.latenciesMs.push(endedMs - sentMs);
    }
  } catch (error) {
    tally.errors += 1;
    tally.firstError ??= error instanceof Error ? error.message : String(error);
  }
}

function summarize(tally: Tally, { inFlight, measureMs }: LoopOptions): Figures {
  const ascending = tally.latenciesMs.sort((a, b) => a - b);
  return {
    inFlight,
    requests: ascending.length,
    requestsPerSecond: (ascending.length / measureMs) * 1_000,
    p50Ms: percentileOf(ascending, 50),
    p99Ms: percentileOf(ascending, 99),
    errors: tally.errors,
    ...(tally.firstError === undefined ? {} : { firstError: tally.firstError }),
  };
}
