import { AppError } from '@daycare/errors';
import { FairSlots } from '../runtime/fair-slots';

const mostWaitingMs = 60_000;

/** Bounds how many programs run at once; users take turns, and none has more than half of the places. */
export function makeWhenFree(limit: number) {
  const slots = new FairSlots(limit, Math.ceil(limit / 2));
  return async <T>(userId: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> => {
    await waitFor(slots, userId, signal);
    try {
      return await work();
    } finally {
      slots.release(userId);
    }
  };
}

async function waitFor(slots: FairSlots, userId: string, signal: AbortSignal): Promise<void> {
  const granted = slots.acquire(userId);
  let timer: NodeJS.Timeout | undefined;
  let onAbort: () => void = () => undefined;
  const givenUp = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason as Error);
    timer = setTimeout(() => reject(tooMany()), mostWaitingMs);
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
  });
  try {
    await Promise.race([granted, givenUp]);
  } catch (error) {
    // The place comes all the same, and somebody else waits for it.
    void granted.then(() => slots.release(userId));
    throw error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}

function tooMany(): AppError {
  return new AppError('RATE_LIMITED', 'Too many programs are running; try again later');
}
