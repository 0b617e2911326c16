import { AppError, toAppError } from '@daycare/api';
import { withTimeout } from '@daycare/async';
import type { TimeBudget } from './fact-sources';

const unavailableCodes: ReadonlySet<string> = new Set(['UNAVAILABLE', 'DEADLINE_EXCEEDED']);

/**
 * Queries a source within the time budget. Resolves with undefined, after calling `report`, if the source is
 * unavailable; rejects if it fails in any other way or the caller itself has disconnected.
 */
export async function askWithinBudget<T>(
  ask: (budget: TimeBudget) => Promise<T>,
  budget: TimeBudget,
  report: (error: AppError) => void,
): Promise<T | undefined> {
  try {
    // The client enforces the timeout too, but not for the steps before the call, such as getting a token.
    return await withTimeout(ask(budget), budget.timeoutMs, tooSlow);
  } catch (thrown) {
    const error = toAppError(thrown);
    if (budget.signal.aborted || !unavailableCodes.has(error.code)) throw error;
    report(error);
    return undefined;
  }
}

function tooSlow(): AppError {
  return new AppError('DEADLINE_EXCEEDED', 'The service did not respond in time');
}
