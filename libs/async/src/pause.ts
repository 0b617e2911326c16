import { setTimeout as delay } from 'node:timers/promises';

/** Resolves after the time has passed, or as soon as the signal aborts; the caller checks the signal afterwards. */
export async function pause(durationMs: number, signal: AbortSignal): Promise<void> {
  await delay(durationMs, undefined, { signal }).catch(() => undefined);
}
