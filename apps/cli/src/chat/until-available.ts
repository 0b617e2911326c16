import { setTimeout as delay } from 'node:timers/promises';
import { backoffMs } from '@daycare/async';
import { CallFailure } from '../failure/call-failure';

/** What to do while a service is not responding. */
export interface Outage {
  /** Called once, after the first failed attempt. */
  readonly onWait: () => void;
  /** After it is aborted, the next failure is thrown instead of retried. */
  readonly signal: AbortSignal;
}

const backoff = { firstMs: 200, maxMs: 3_000 };

/**
 * With `outage`, retries a call while its service is not responding; the call must be idempotent. Without `outage`,
 * makes a single attempt.
 */
export async function untilAvailable<T>(call: () => Promise<T>, outage?: Outage): Promise<T> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await call();
    } catch (error) {
      if (!outage || outage.signal.aborted || !isOutage(error)) throw error;
      if (failures === 1) outage.onWait();
      await delay(backoffMs(failures, backoff));
    }
  }
}

function isOutage(error: unknown): boolean {
  return (
    error instanceof CallFailure && ['UNAVAILABLE', 'DEADLINE_EXCEEDED'].includes(error.reason)
  );
}
