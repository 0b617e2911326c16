import { setTimeout as delay } from 'node:timers/promises';

export interface EventuallyOptions {
  readonly timeoutMs?: number;
  readonly intervalMs?: number;
}

/**
 * Repeats `check` until it neither throws nor returns false or undefined, and returns its result. On
 * timeout it throws with the last failure as the cause. A check that returns nothing, such as one made
 * of `expect`s, must therefore end with `return true`.
 */
export async function eventually<T>(
  check: () => T | Promise<T>,
  { timeoutMs = 30_000, intervalMs = 50 }: EventuallyOptions = {},
): Promise<Exclude<T, false | undefined>> {
  const deadlineMs = performance.now() + timeoutMs;
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
    await delay(intervalMs);
  } while (performance.now() < deadlineMs);
  const reason = lastError instanceof Error ? lastError.message : String(lastError);
  throw new Error(`did not hold within ${timeoutMs} ms: ${reason}`, { cause: lastError });
}
