import { setTimeout as delay } from 'node:timers/promises';

export interface EventuallyOptions {
  readonly timeoutMs?: number;
  /**
   * By default a fifth of the time waited so far, from 20 to 250 ms, because frequent checks would take CPU time from
   * the work they are waiting for.
   */
  readonly intervalMs?: number;
}

const minIntervalMs = 20;
const maxIntervalMs = 250;

/**
 * Repeats `check` until it neither throws nor returns false or undefined, and returns its result. On
 * timeout it throws with the last failure as the cause. A check that returns nothing, such as one made
 * of `expect`s, must therefore end with `return true`.
 */
export async function eventually<T>(
  check: () => T | Promise<T>,
  { timeoutMs = 30_000, intervalMs }: EventuallyOptions = {},
): Promise<Exclude<T, false | undefined>> {
  const startMs = performance.now();
  let lastError: unknown;
  do {
    try {
      const answer = await check();
      if (answer !== undefined && answer !== false) {
        return answer as Exclude<T, false | undefined>;
      }
      lastError = new Error(`the check returned ${String(answer)}`);
    } catch (error) {
      lastError = error;
    }
    const waitedMs = performance.now() - startMs;
    await delay(intervalMs ?? Math.min(maxIntervalMs, Math.max(minIntervalMs, waitedMs / 5)));
  } while (performance.now() - startMs < timeoutMs);
  const reason = lastError instanceof Error ? lastError.message : String(lastError);
  throw new Error(`did not hold within ${timeoutMs} ms: ${reason}`, { cause: lastError });
}
