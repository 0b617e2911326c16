import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '@daycare/api';

/** Longer than the slowest path that ends in NOT_FOUND. */
const minDurationMs = 30;

/**
 * Makes every NOT_FOUND take the same time, so that the duration does not reveal whether a nametag is
 * free or belongs to a subuser that was not offered to the caller.
 */
export async function hideTiming<T>(work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  try {
    return await work();
  } catch (error) {
    if (error instanceof AppError && error.code === 'NOT_FOUND') {
      await delay(Math.max(minDurationMs - (performance.now() - startedAt), 0));
    }
    throw error;
  }
}
