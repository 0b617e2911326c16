import { raceAbort, withTimeout } from '@daycare/async';
import { AppError } from '@daycare/api';
import { FairSemaphore } from '../../shared/concurrency/fair-semaphore';

const maxWaitMs = 60_000;

/**
 * Limits how many programs run concurrently. Owners take turns, and no owner, together with its subusers, gets more
 * than half of the slots (rounded up). A call that has waited a minute for a slot is refused.
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
    await withTimeout(raceAbort(granted, signal), maxWaitMs, tooManyPrograms);
  } catch (error) {
    // The slot will still be granted later; release it then for the next waiter.
    void granted.then(() => slots.release(ownerId));
    throw error;
  }
}

function tooManyPrograms(): AppError {
  return new AppError('RATE_LIMITED', 'Too many programs are running; try again later');
}
