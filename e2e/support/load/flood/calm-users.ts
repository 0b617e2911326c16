import { setTimeout as delay } from 'node:timers/promises';
import type { CallOptions } from '@daycare/rpc';
import type { Probe } from './probes';

/** The calls of users who stay far below their limits. */
export interface CalmCalls {
  readonly tookMs: readonly number[];
  readonly failed: number;
}

/** The durations of these calls. */
export interface CalmFigures {
  readonly calls: number;
  readonly failed: number;
  readonly medianMs: number;
  readonly p99Ms: number;
}

const everyMs = 100;

/** Each user calls ten times a second until the signal aborts. */
export async function callCalmly(
  probe: Probe,
  users: readonly CallOptions[],
  signal: AbortSignal,
): Promise<CalmCalls> {
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
  return { tookMs, failed };
}

export function figuresOf(parts: readonly CalmCalls[]): CalmFigures {
  const sorted = parts.flatMap(({ tookMs }) => tookMs).toSorted((a, b) => a - b);
  const failed = parts.reduce((sum, part) => sum + part.failed, 0);
  const at = (share: number): number => sorted[Math.ceil(share * sorted.length) - 1] ?? NaN;
  return { calls: sorted.length, failed, medianMs: at(0.5), p99Ms: at(0.99) };
}
