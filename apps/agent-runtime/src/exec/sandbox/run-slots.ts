import { raceAbort, withTimeout } from '@daycare/async';
import { AppError } from '@daycare/api';
import { FairSemaphore } from '../../shared/concurrency/fair-semaphore';

const maxWaitingMs = 60_000;

/**
 * Limits how many programs run concurrently; owners take turns, and none of them, together with its
 * subusers, gets more than half of the slots.
 */
export function makeWithRunSlot(limit: number) {
  const slots = new FairSemaphore(limit, Math.ceil(limit / 2));
  return async <T>(ownerId: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> => {
    await waitFor(slots, ownerId, signal);
    try {
      return await work();
    } finally {
      slots.release(ownerId);
    }
  };
}

async function waitFor(slots: FairSemaphore, ownerId: string, signal: AbortSignal): Promise<void> {
  const granted = slots.acquire(ownerId);
  try {
    await withTimeout(raceAbort(granted, signal), maxWaitingMs, tooManyPrograms);
  } catch (error) {
    // The slot is still granted later; release it for the next waiter.
    void granted.then(() => slots.release(ownerId));
    throw error;
  }
}

function tooManyPrograms(): AppError {
  return new AppError('RATE_LIMITED', 'Too many programs are running; try again later');
}
