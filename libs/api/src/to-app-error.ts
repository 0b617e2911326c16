import { AppError } from './app-error';
import type { ErrorCode } from './errors/error-code';

/** Transient failures of MongoDB and NATS, by the error names of their drivers. */
const transientErrors: ReadonlySet<string> = new Set([
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

/** Connection failures by error code; drivers pass some of them on unchanged. */
const connectionErrors: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
]);

const transientLabels = [
  'RetryableWriteError',
  'TransientTransactionError',
  'UnknownTransactionCommitResult',
];

const genericMessages: Partial<Record<ErrorCode, string>> = {
  CANCELLED: 'The call was cancelled',
  DEADLINE_EXCEEDED: 'The deadline passed before the call was answered',
  UNAVAILABLE: 'The service is temporarily unavailable; try again',
  INTERNAL: 'Internal error',
};

/** The message for a failure that the caller did not cause and whose details are not meant for it. */
export function genericMessage(code: ErrorCode): string {
  return genericMessages[code] ?? 'The call failed';
}

/**
 * Converts whatever was thrown to an AppError. What it does not recognise becomes INTERNAL with a generic
 * message; the original stays in `cause` for the log.
 */
export function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  const code = codeOf(thrown);
  return new AppError(code, genericMessage(code), {}, { cause: thrown });
}

function codeOf(thrown: unknown): ErrorCode {
  if (!(thrown instanceof Error)) return 'INTERNAL';
  if (thrown.name === 'AbortError') return 'CANCELLED';
  return isTransient(thrown) ? 'UNAVAILABLE' : 'INTERNAL';
}

/** MongoDB's bulk writes wrap the original error. */
function isTransient(error: Error): boolean {
  const { code, errorResponse } = error as { code?: unknown; errorResponse?: unknown };
  return (
    transientErrors.has(error.name) ||
    connectionErrors.has(code) ||
    hasTransientLabel(error) ||
    (errorResponse instanceof Error && isTransient(errorResponse))
  );
}

function hasTransientLabel(error: Error): boolean {
  const { errorLabels } = error as { errorLabels?: unknown };
  return Array.isArray(errorLabels) && transientLabels.some((label) => errorLabels.includes(label));
}
