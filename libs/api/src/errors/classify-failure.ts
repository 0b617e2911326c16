import { retryOf, type ErrorCode } from './error-code';

/** Failures that the work did not cause and that pass without intervention, even if that takes a long time. */
const transientCodes: ReadonlySet<ErrorCode> = new Set([
  'UNAVAILABLE',
  'DEADLINE_EXCEEDED',
  'RATE_LIMITED',
  'CANCELLED',
]);

/**
 * `permanent`: the work can never be done. `suspect`: the work may be the cause. `transient`: the work is not the
 * cause and must not become a dead letter, even if a database is down for an hour.
 */
export type FailureClass = 'permanent' | 'suspect' | 'transient';

export function classifyFailure(code: ErrorCode): FailureClass {
  if (retryOf[code] === 'give-up') return 'permanent';
  return transientCodes.has(code) ? 'transient' : 'suspect';
}
