/** How often work is tried before it goes to the dead letters. */
export const maxTries = 5;

/** How often work may be cut off by a crash or a lost lease: enough for any deployment, too few for work that kills its process. */
export const maxInterruptions = 25;

const backoff = { firstMs: 500, maxMs: 30_000 };
const interruptionsAtOnce = 3;

export type RetryVerdict =
  { readonly kind: 'retry'; readonly notBefore: Date } | { readonly kind: 'dead' };

/**
 * What becomes of work that has failed `tries` times. `random`, from 0 to 1, takes up to half of the
 * delay away, so that what failed together does not come back together.
 */
export function afterFailure(tries: number, now: Date, random = 0): RetryVerdict {
  if (tries >= maxTries) return { kind: 'dead' };
  return retryAfter(delayMs(tries) * (1 - random / 2), now);
}

/** What becomes of work that was cut off `interruptions` times: a few times may be bad luck. */
export function afterInterruption(interruptions: number, now: Date): RetryVerdict {
  if (interruptions >= maxInterruptions) return { kind: 'dead' };
  const later = interruptions - interruptionsAtOnce;
  return retryAfter(later > 0 ? delayMs(later) : 0, now);
}

function delayMs(count: number): number {
  return Math.min(backoff.maxMs, backoff.firstMs * 2 ** (Math.max(count, 1) - 1));
}

function retryAfter(ms: number, now: Date): RetryVerdict {
  return { kind: 'retry', notBefore: new Date(now.getTime() + Math.round(ms)) };
}
