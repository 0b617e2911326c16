import { backoffMs } from '@daycare/async';

/** How often work is tried before it becomes a dead letter. */
export const maxTries = 5;

/** How often a crash or a lost lease may interrupt work: enough for any deployment, too few for work that kills its process. */
export const maxInterruptions = 25;

const backoff = { firstMs: 500, maxMs: 30_000 };
/** A few interruptions may be bad luck; they cause no delay. */
const freeInterruptions = 3;

export type RetryVerdict =
  { readonly kind: 'retry'; readonly notBefore: Date } | { readonly kind: 'dead' };

/**
 * Decides about work that has failed `tries` times. `random`, from 0 to 1, shortens the delay by up to
 * half, so that work that failed together is not retried together.
 */
export function afterFailure(tries: number, now: Date, random = 0): RetryVerdict {
  if (tries >= maxTries) return { kind: 'dead' };
  return retryAfter(backoffMs(tries, { ...backoff, jitter: 0.5 }, 1 - random), now);
}

/** Decides about work that was interrupted `interruptions` times. */
export function afterInterruption(interruptions: number, now: Date): RetryVerdict {
  if (interruptions >= maxInterruptions) return { kind: 'dead' };
  const counted = interruptions - freeInterruptions;
  return retryAfter(counted > 0 ? backoffMs(counted, backoff) : 0, now);
}

function retryAfter(ms: number, now: Date): RetryVerdict {
  return { kind: 'retry', notBefore: new Date(now.getTime() + Math.round(ms)) };
}
