import { pause } from '@daycare/async';

/** Polls a condition until it is false, then calls `onFailed` once; stops without a call when `ended` aborts. */
export async function watch(
  condition: () => Promise<boolean>,
  everyMs: number,
  onFailed: () => void,
  ended: AbortSignal,
): Promise<void> {
  const wait = (): Promise<void> => pause(everyMs, ended);
  for (await wait(); !ended.aborted; await wait()) if (!(await condition())) return onFailed();
}
