export interface Backoff {
  /** The delay before the first retry. */
  readonly firstMs: number;
  readonly maxMs: number;
  /** Each delay is this many times the previous one; 2 by default. */
  readonly factor?: number;
  /** The share of the delay that is random: 0 (the default) for none, 1 for all of it. */
  readonly jitter?: number;
}

/**
 * Returns how long to wait before retry number `attempt`, counted from 1. `random`, from 0 to 1, picks a delay
 * within the jitter; 1 picks the longest.
 */
export function backoffMs(attempt: number, backoff: Backoff, random = 1): number {
  const { firstMs, maxMs, factor = 2, jitter = 0 } = backoff;
  const fullMs = Math.min(maxMs, firstMs * factor ** (Math.max(attempt, 1) - 1));
  return fullMs * (1 - jitter * (1 - random));
}
