import { setTimeout as delay } from 'node:timers/promises';
import type { CallOptions } from '@daycare/rpc';
import type { Probe } from './probes';

/** Calls from users who stay far below their limits. */
export interface CalmCalls {
  readonly durationsMs: readonly number[];
  readonly failed: number;
}

/** A summary of calm calls. */
export interface CalmFigures {
  readonly calls: number;
  readonly failed: number;
  readonly medianMs: number;
  readonly p99Ms: number;
}

const callEveryMs = 100;

/** Makes each user call ten times a second until the signal aborts. */
export async function callCalmly(
  probe: Probe,
  users: readonly CallOptions[],
  signal: AbortSignal,
): Promise<CalmCalls> {
  const durationsMs: number[] = [];
  let failed = 0;
  const callAs = async (as: CallOptions, index: number): Promise<void> => {
    await delay((index * callEveryMs) / users.length);
    while (!signal.aborted) {
      const startedAt = performance.now();
      await probe(as).catch(() => void (failed += 1));
      const elapsedMs = performance.now() - startedAt;
      durationsMs.push(elapsedMs);
      await delay(Math.max(callEveryMs - elapsedMs, 0));
    }
  };
  await Promise.all(users.map(callAs));
  return { durationsMs, failed };
}

export function figuresOf(parts: readonly CalmCalls[]): CalmFigures {
  const sorted = parts.flatMap(({ durationsMs }) => durationsMs).toSorted((a, b) => a - b);
  const failed = parts.reduce((sum, part) => sum + part.failed, 0);
  const quantile = (share: number): number => sorted[Math.ceil(share * sorted.length) - 1] ?? NaN;
  return { calls: sorted.length, failed, medianMs: quantile(0.5), p99Ms: quantile(0.99) };
}
