import { setMaxListeners } from 'node:events';
import { AppError, toAppError } from '@daycare/api';
import { pause } from '@daycare/async';
import type { AppName } from '@daycare/local-stack';
import type { CallOptions } from '@daycare/rpc';
import { openProbe, openWatch, type Watch } from './probes';

export interface FloodOptions {
  readonly app: AppName;
  readonly address: string;
  /** The credential of the flooding account; empty for an anonymous caller. */
  readonly as: CallOptions;
  readonly callsPerSecond: number;
  /** How many streams the caller tries to keep open. */
  readonly streams: number;
}

/** How the calls and streams of one flooding caller ended. */
export interface FloodFigures {
  readonly answered: number;
  /** Calls that failed, by their code. */
  readonly failed: Readonly<Record<string, number>>;
  readonly streamsRefused: number;
}

interface Counts {
  answered: number;
  readonly failed: Record<string, number>;
  streamsRefused: number;
}

const tickMs = 20;
/** More open calls would only keep the flooding process itself busy. */
const maxOpenCalls = 400;
const retryStreamMs = 1_000;

/** Calls at a fixed rate and keeps trying to open streams until the signal aborts. */
export async function flood(options: FloodOptions, signal: AbortSignal): Promise<FloodFigures> {
  const figures: Counts = { answered: 0, failed: {}, streamsRefused: 0 };
  const watch = openWatch(options.app, options.address);
  setMaxListeners(0, signal);
  const hold = (): Promise<void> => holdStream(watch, options.as, figures, signal);
  const streams = Array.from({ length: options.streams }, hold);
  await callSteadily(options, figures, signal);
  await Promise.all(streams);
  watch.close();
  return figures;
}

async function callSteadily(
  { app, address, as, callsPerSecond }: FloodOptions,
  figures: Counts,
  signal: AbortSignal,
): Promise<void> {
  const probe = openProbe(app, address);
  const startedAt = performance.now();
  const open = new Set<Promise<void>>();
  let scheduled = 0;
  while (!signal.aborted) {
    const due = Math.floor(((performance.now() - startedAt) / 1_000) * callsPerSecond);
    for (; scheduled < due; scheduled += 1) {
      if (open.size >= maxOpenCalls) continue;
      const call = probe(as).then(
        () => void (figures.answered += 1),
        (error: unknown) => countFailure(figures, error),
      );
      open.add(call);
      void call.finally(() => open.delete(call));
    }
    await pause(tickMs, signal);
  }
  await Promise.all(open);
}

function countFailure({ failed }: Counts, error: unknown): void {
  const { code } = toAppError(error);
  failed[code] = (failed[code] ?? 0) + 1;
}

/** Keeps a stream open: whenever it is refused or ends, tries again a second later. */
async function holdStream(
  watch: Watch,
  as: CallOptions,
  figures: Counts,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      for await (const _ of watch.open({ ...as, signal }));
    } catch (error) {
      if (error instanceof AppError && error.code === 'QUOTA_EXCEEDED') figures.streamsRefused += 1;
    }
    await pause(retryStreamMs, signal);
  }
}
