import { AppError, toAppError } from '@daycare/errors';
import type { Patience } from './owners';

const downCodes: ReadonlySet<string> = new Set(['UNAVAILABLE', 'DEADLINE_EXCEEDED']);

/**
 * What an owner of facts answers in time; undefined when it is down, which `report` hears of. When the
 * caller itself has hung up, or the owner fails in another way, it rejects.
 */
export async function unlessDown<T>(
  ask: (patience: Patience) => Promise<T>,
  patience: Patience,
  report: (error: AppError) => void,
): Promise<T | undefined> {
  const clock = new AbortController();
  try {
    return await Promise.race([ask(patience), timeUp(patience.timeoutMs, clock.signal)]);
  } catch (thrown) {
    const error = toAppError(thrown);
    if (patience.signal.aborted || !downCodes.has(error.code)) throw error;
    report(error);
    return undefined;
  } finally {
    clock.abort();
  }
}

/** The owner's client minds the time as well; this is for what comes before it, e.g. a token. */
function timeUp(timeoutMs: number, over: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const timer = setTimeout(
      () => reject(new AppError('DEADLINE_EXCEEDED', 'The owner of the facts took too long')),
      timeoutMs,
    );
    over.addEventListener('abort', () => clearTimeout(timer), { once: true });
  });
}
