import { percentileOf } from './percentile';

export interface LoopOptions {
  readonly inFlight: number;
  /** Requests that end within this time are not measured. */
  readonly leadInMs: number;
  readonly measureMs: number;
  /** Ends the loop early, which makes its figures meaningless. */
  readonly signal?: AbortSignal;
  readonly now?: () => number;
}

/** The figures of one closed loop. */
export interface Figures {
  readonly inFlight: number;
  /** Requests answered within the measured time. */
  readonly requests: number;
  /** All answered requests, including those before and after the measured time. */
  readonly allRequests: number;
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Failed requests, at any time. */
  readonly errors: number;
  readonly firstError?: string;
}

interface Tally {
  readonly latenciesMs: number[];
  answered: number;
  errors: number;
  firstError?: string;
}

/**
 * Keeps `inFlight` requests in flight: each lane sends its next request once the previous one is
 * answered. A lane ends at its first failure, to avoid hammering a dead server.
 */
export async function runClosedLoop(
  request: () => Promise<unknown>,
  options: LoopOptions,
): Promise<Figures> {
  const tally: Tally = { latenciesMs: [], answered: 0, errors: 0 };
  const now = options.now ?? (() => performance.now());
  const fromMs = now() + options.leadInMs;
  const window = { now, fromMs, untilMs: fromMs + options.measureMs, signal: options.signal };
  const lanes = Array.from({ length: options.inFlight }, () => runLane(request, window, tally));
  await Promise.all(lanes);
  return summarise(tally, options);
}

/** Makes a fixed number of requests one after the other; stops at the first failure. */
export async function runSequence(
  request: () => Promise<unknown>,
  count: number,
  now: () => number = () => performance.now(),
): Promise<Figures> {
  const tally: Tally = { latenciesMs: [], answered: 0, errors: 0 };
  const startedMs = now();
  const endless = { now, fromMs: -Infinity, untilMs: Infinity };
  const stop = new AbortController();
  const counted = async (): Promise<void> => {
    await request();
    if (tally.answered + 1 >= count) stop.abort();
  };
  await runLane(counted, { ...endless, signal: stop.signal }, tally);
  return summarise(tally, { inFlight: 1, measureMs: now() - startedMs });
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
      tally.answered += 1;
      if (endedMs >= fromMs && endedMs < untilMs) tally.latenciesMs.push(endedMs - sentMs);
    }
  } catch (error) {
    tally.errors += 1;
    tally.firstError ??= error instanceof Error ? error.message : String(error);
  }
}

function summarise(
  tally: Tally,
  { inFlight, measureMs }: Pick<LoopOptions, 'inFlight' | 'measureMs'>,
): Figures {
  const ascending = tally.latenciesMs.sort((a, b) => a - b);
  return {
    inFlight,
    requests: ascending.length,
    allRequests: tally.answered,
    requestsPerSecond: (ascending.length / measureMs) * 1_000,
    p50Ms: percentileOf(ascending, 50),
    p99Ms: percentileOf(ascending, 99),
    errors: tally.errors,
    ...(tally.firstError === undefined ? {} : { firstError: tally.firstError }),
  };
}
