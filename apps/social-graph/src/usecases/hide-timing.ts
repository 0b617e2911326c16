import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '@daycare/errors';

/** Longer than any of the ways to "there is no such nametag" takes. */
const floorMs = 30;

/**
 * Gives every NOT_FOUND the same duration, so that a caller cannot tell a nametag that does not exist
 * from a subuser that is none of its business by how long the answer took.
 */
export async function hideTiming<T>(work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  try {
    return await work();
  } catch (error) {
    if (error instanceof AppError && error.code === 'NOT_FOUND') {
      await delay(Math.max(floorMs - (performance.now() - startedAt), 0));
    }
    throw error;
  }
}
