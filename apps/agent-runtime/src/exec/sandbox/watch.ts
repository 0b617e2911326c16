import { setTimeout as delay } from 'node:timers/promises';

/** Polls a condition until it no longer holds or the watch is stopped. */
export async function watch(
  condition: () => Promise<boolean>,
  everyMs: number,
  onFailed: () => void,
  ended: AbortSignal,
): Promise<void> {
  const pause = (): Promise<void> =>
    delay(everyMs, undefined, { signal: ended }).catch(() => undefined);
  for (await pause(); !ended.aborted; await pause()) if (!(await condition())) return onFailed();
}
