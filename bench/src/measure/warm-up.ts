import { setTimeout as delay } from 'node:timers/promises';
import { runClosedLoop } from './closed-loop';
import { isSteady } from './steady-rate';

export interface WarmUpOptions {
  readonly inFlight: number;
  readonly maxMs: number;
  readonly signal: AbortSignal;
}

const sliceMs = 500;

/**
 * Runs requests until their rate is steady or `maxMs` have passed; returns whether it is steady. Throws when
 * a request fails.
 */
export async function warmUp(
  request: () => Promise<unknown>,
  { inFlight, maxMs, signal }: WarmUpOptions,
): Promise<boolean> {
  const done = new AbortController();
  let answered = 0;
  const counted = async (): Promise<void> => {
    await request();
    answered += 1;
  };
  const loop = runClosedLoop(counted, {
    inFlight,
    leadInMs: maxMs,
    measureMs: 0,
    signal: AbortSignal.any([done.signal, signal]),
  });
  const watching = watchSlices(() => answered, Math.floor(maxMs / sliceMs), done.signal);
  const steady = await Promise.race([watching, loop.then(() => false)]);
  done.abort();
  const { errors, firstError } = await loop;
  if (errors > 0) throw new Error(`failed during warm-up: ${firstError}`);
  return steady;
}

async function watchSlices(
  answered: () => number,
  slices: number,
  signal: AbortSignal,
): Promise<boolean> {
  const counts: number[] = [];
  for (let before = 0; counts.length < slices && !signal.aborted; before = answered()) {
    await delay(sliceMs);
    counts.push(answered() - before);
    if (isSteady(counts)) return true;
  }
  return false;
}
