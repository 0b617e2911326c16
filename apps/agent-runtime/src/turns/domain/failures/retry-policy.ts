import { backoffMs } from '@daycare/async';

/** After this many failures, not counting transient ones, work becomes a dead letter. */
export const maxTries = 5;

/**
 * How many interruptions by crashes and lost leases make work a dead letter: more than deployments ever cause, but few
 * enough to stop work that kills its process.
 */
export const maxInterruptions = 25;

const backoff = { firstMs: 500, maxMs: 30_000 };
/** A few interruptions may be bad luck, so the first ones cause no delay. */
const freeInterruptions = 3;

/** Longer pauses that a provider requests are shortened to this. */
const maxRetryAfterMs = 60 * 60_000;
const waitBackoff = { firstMs: 2_000, maxMs: 5 * 60_000, jitter: 0.5 };

export type RetryVerdict =
  | { readonly kind: 'retry'; readonly notBefore: Date }
  | { readonly kind: 'dead' };

/**
 * Decides what happens to work that has failed `tries` times. `random`, from 0 to 1, shortens the delay by up
 * to half, so that work that failed together is not retried together.
 */
export function afterFailure(tries: number, now: Date, random = 0): RetryVerdict {
  if (tries >= maxTries) return { kind: 'dead' };
  return retryAfter(backoffMs(tries, { ...backoff, jitter: 0.5 }, 1 - random), now);
}

/** Decides what happens to work that was interrupted `interruptions` times. */
export function afterInterruption(interruptions: number, now: Date): RetryVerdict {
  if (interruptions >= maxInterruptions) return { kind: 'dead' };
  const counted = interruptions - freeInterruptions;
  return retryAfter(counted > 0 ? backoffMs(counted, backoff) : 0, now);
}

/**
 * A transient failure: when it began, how many waits it has caused, and the pause that the other side has
 * requested.
 */
export interface TransientFailure {
  readonly since: Date;
  readonly count: number;
  readonly retryAfterMs?: number | undefined;
}

/**
 * Decides what happens to work that a transient failure blocks. It waits as long as the other side requests (at most an
 * hour) or for a growing delay, which `random` shortens, whichever is longer, but no longer than until `maxWaitMs`
 * after `since`. If it fails again after that, it is abandoned.
 */
export function afterTransientFailure(
  { since, count, retryAfterMs = 0 }: TransientFailure,
  maxWaitMs: number,
  now: Date,
  random = 0,
): RetryVerdict {
  const leftMs = since.getTime() + maxWaitMs - now.getTime();
  if (leftMs <= 0) return { kind: 'dead' };
  const requestedMs = Math.min(retryAfterMs, maxRetryAfterMs);
  const ms = Math.max(requestedMs, backoffMs(count, waitBackoff, 1 - random));
  return retryAfter(Math.min(ms, leftMs), now);
}

function retryAfter(ms: number, now: Date): RetryVerdict {
  return { kind: 'retry', notBefore: new Date(now.getTime() + Math.round(ms)) };
}
