import { setTimeout as delay } from 'node:timers/promises';
import type { CallOptions } from '@daycare/rpc';
import type { Probe } from './probes';

/** The durations of calls by users who stay far below their limits. */
export interface CalmFigures {
  readonly calls: number;
  readonly failed: number;
  readonly medianMs: number;
  readonly p99Ms: number;
}

const everyMs = 100;

/** Each user calls ten times a second until the signal. */
export async function callCalmly(
  probe: Probe,
  users: readonly CallOptions[],
  signal: AbortSignal,
): Promise<CalmFigures> {
  const tookMs: number[] = [];
  let failed = 0;
  const callAs = async (as: CallOptions, index: number): Promise<void> => {
    await delay((index * everyMs) / users.length);
    while (!signal.aborted) {
      const startedAt = performance.now();
      await probe(as).catch(() => void (failed += 1));
      const elapsedMs = performance.now() - startedAt;
      tookMs.push(elapsedMs);
      await delay(Math.max(everyMs - elapsedMs, 0));
    }
  };
  await Promise.all(users.map(callAs));
  const sorted = tookMs.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.ceil(share * sorted.length) - 1] ?? NaN;
  return { calls: sorted.length, failed, medianMs: at(0.5), p99Ms: at(0.99) };
}
