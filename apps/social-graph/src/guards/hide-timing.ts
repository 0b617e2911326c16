import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '@daycare/api';

/** Longer than a call that ends in NOT_FOUND usually takes. */
const stepMs = 30;

/**
 * Makes every NOT_FOUND take the same time, or a multiple of it when the service is busy, so that the duration
 * does not reveal whether a nametag is free or belongs to a subuser that was not offered to the caller.
 */
export async function hideTiming<T>(work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  try {
    return await work();
  } catch (error) {
    if (isNotFound(error)) {
      const elapsedMs = performance.now() - startedAt;
      await delay(Math.ceil(elapsedMs / stepMs) * stepMs - elapsedMs);
    }
    throw error;
  }
}

export function isNotFound(error: unknown): boolean {
  return error instanceof AppError && error.code === 'NOT_FOUND';
}
