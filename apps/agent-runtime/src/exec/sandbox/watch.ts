import { setTimeout as delay } from 'node:timers/promises';

/** Polls a condition until it fails or the watch is stopped. */
export async function watch(
  isWell: () => Promise<boolean>,
  everyMs: number,
  onTrouble: () => void,
  ended: AbortSignal,
): Promise<void> {
  const pause = (): Promise<void> =>
    delay(everyMs, undefined, { signal: ended }).catch(() => undefined);
  for (await pause(); !ended.aborted; await pause()) if (!(await isWell())) return onTrouble();
}
