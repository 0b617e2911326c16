import { retryOf, type ErrorCode } from '@daycare/errors';

/** Failures of the surroundings, not of the message: they pass, however long it takes. */
const passing: ReadonlySet<ErrorCode> = new Set([
  'UNAVAILABLE',
  'DEADLINE_EXCEEDED',
  'RATE_LIMITED',
  'CANCELLED',
]);

/**
 * What a failure says about a message: it can never be handled, it may be at fault itself, or it has
 * no part in it. A database that is away for an hour must not fill the dead letters.
 */
export type Blame = 'hopeless' | 'suspect' | 'innocent';

export function blameFor(code: ErrorCode): Blame {
  if (retryOf[code] === 'give-up') return 'hopeless';
  return passing.has(code) ? 'innocent' : 'suspect';
}

/** When a message that failed is tried again: four times as late after each failure, up to a limit. */
export interface RetryTiming {
  readonly firstMs: number;
  readonly maxMs: number;
}

export function retryDelayMs(failures: number, { firstMs, maxMs }: RetryTiming): number {
  return Math.min(maxMs, firstMs * 4 ** (failures - 1));
}
