import { AppError } from './app-error';
import type { ErrorCode } from './error-code';

/** Failures of the servers behind us that pass by themselves, by the name their drivers give them. */
const passingFailures: ReadonlySet<string> = new Set([
  'MongoNetworkError',
  'MongoNetworkTimeoutError',
  'MongoServerSelectionError',
  'MongoNotConnectedError',
  'MongoOperationTimeoutError',
  'MongoPoolClearedError',
  'MongoPrimarySteppedDownError',
  'MongoWaitQueueTimeoutError',
  'NatsError',
]);

/** A connection that broke, as the operating system calls it; drivers pass some on as they are. */
const brokenConnections: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
]);

const passingLabels = ['RetryableWriteError', 'TransientTransactionError'];

const blandText: Partial<Record<ErrorCode, string>> = {
  CANCELLED: 'The call was cancelled',
  DEADLINE_EXCEEDED: 'The deadline passed before the call was answered',
  UNAVAILABLE: 'The service is temporarily unavailable; try again',
  INTERNAL: 'Internal error',
};

/** What a caller is told of a failure that is not its own and whose details are not for it. */
export function blandTextOf(code: ErrorCode): string {
  return blandText[code] ?? 'The call failed';
}

/**
 * The one funnel from whatever was thrown to an AppError. What it does not recognise becomes INTERNAL
 * with a bland text; the original stays in `cause` for the log.
 */
export function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  const code = codeOf(thrown);
  return new AppError(code, blandTextOf(code), {}, { cause: thrown });
}

function codeOf(thrown: unknown): ErrorCode {
  if (!(thrown instanceof Error)) return 'INTERNAL';
  if (thrown.name === 'AbortError') return 'CANCELLED';
  return isPassing(thrown) ? 'UNAVAILABLE' : 'INTERNAL';
}

/** MongoDB's bulk writes wrap what went wrong. */
function isPassing(error: Error): boolean {
  const { code, errorResponse } = error as { code?: unknown; errorResponse?: unknown };
  return (
    passingFailures.has(error.name) ||
    brokenConnections.has(code) ||
    hasPassingLabel(error) ||
    (errorResponse instanceof Error && isPassing(errorResponse))
  );
}

function hasPassingLabel(error: Error): boolean {
  const { errorLabels } = error as { errorLabels?: unknown };
  return Array.isArray(errorLabels) && passingLabels.some((label) => errorLabels.includes(label));
}
