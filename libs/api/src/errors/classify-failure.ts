import { retryOf, type ErrorCode } from './error-code';

/** Failures that are not caused by the work and end by themselves, even if that takes long. */
const transientCodes: ReadonlySet<ErrorCode> = new Set([
  'UNAVAILABLE',
  'DEADLINE_EXCEEDED',
  'RATE_LIMITED',
  'CANCELLED',
]);

/**
 * `permanent`: the work can never be done. `suspect`: the work may be the cause. `transient`: it
 * is not; a database that is down for an hour must not fill the dead letters.
 */
export type FailureClass = 'permanent' | 'suspect' | 'transient';

export function classifyFailure(code: ErrorCode): FailureClass {
  if (retryOf[code] === 'give-up') return 'permanent';
  return transientCodes.has(code) ? 'transient' : 'suspect';
}
