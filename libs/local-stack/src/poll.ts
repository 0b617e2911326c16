import { setTimeout as delay } from 'node:timers/promises';

export interface PollOptions {
  readonly timeoutMs: number;
  readonly intervalMs?: number;
  /** Makes the error of a poll that ran out of time. */
  readonly onTimeout: (lastError: unknown) => Error;
  /** A failure that no further try can mend; it is thrown at once. */
  readonly giveUp?: () => Error | undefined;
}

/** Tries until `attempt` returns something other than undefined; a throw counts as "not yet". */
export async function poll<T>(
  attempt: () => Promise<T | undefined>,
  options: PollOptions,
): Promise<T> {
  const deadlineMs = performance.now() + options.timeoutMs;
  let lastError: unknown;
  for (;;) {
    const result = await attempt().catch((error: unknown) => void (lastError = error));
    if (result !== undefined) return result;
    const fatal = options.giveUp?.();
    if (fatal) throw fatal;
    if (performance.now() >= deadlineMs) throw options.onTimeout(lastError);
    await delay(options.intervalMs ?? 20);
  }
}
