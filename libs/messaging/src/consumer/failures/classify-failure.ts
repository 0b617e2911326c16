import { backoffMs } from '@daycare/async';
import { retryOf, type ErrorCode } from '@daycare/api';

/** Failures that have nothing to do with the message and end by themselves, however long it takes. */
const transientCodes: ReadonlySet<ErrorCode> = new Set([
  'UNAVAILABLE',
  'DEADLINE_EXCEEDED',
  'RATE_LIMITED',
  'CANCELLED',
]);

/**
 * `permanent`: the message can never be handled. `suspect`: the message may be the cause. `transient`: it
 * is not; a database that is down for an hour must not fill the dead letters.
 */
export type FailureClass = 'permanent' | 'suspect' | 'transient';

export function classifyFailure(code: ErrorCode): FailureClass {
  if (retryOf[code] === 'give-up') return 'permanent';
  return transientCodes.has(code) ? 'transient' : 'suspect';
}

/** The delay before a failed message is retried: four times as long after each failure, up to a maximum. */
export interface RetryTiming {
  readonly firstMs: number;
  readonly maxMs: number;
}

export function retryDelayMs(failures: number, timing: RetryTiming): number {
  return backoffMs(failures, { ...timing, factor: 4 });
}
