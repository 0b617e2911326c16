import { setTimeout as delay } from 'node:timers/promises';

export interface PollOptions {
  readonly timeoutMs: number;
  readonly intervalMs?: number;
  /** Creates the error for a poll that timed out. */
  readonly onTimeout: (lastError: unknown) => Error;
  /** Returns an error if further attempts are pointless; it is thrown immediately. */
  readonly giveUp?: () => Error | undefined;
}

/** Repeats `attempt` until it returns something other than undefined; an error counts as "not yet". */
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
