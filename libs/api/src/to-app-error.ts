import { AppError } from './app-error';
import type { ErrorCode } from './errors/error-code';

/** Transient failures of MongoDB and NATS, by the names that their drivers give the errors. */
const transientErrors: ReadonlySet<string> = new Set([
  'MongoNetworkError',
  'MongoNetworkTimeoutError',
  'MongoServerSelectionError',
  'MongoNotConnectedError',
  'MongoOperationTimeoutError',
  'MongoPoolClearedError',
  'MongoPoolClosedError',
  'MongoServerClosedError',
  'MongoStalePrimaryError',
  'MongoTopologyClosedError',
  'MongoWaitQueueTimeoutError',
  'NatsError',
  'PoolClearedOnNetworkError',
]);

/**
 * The errors that a MongoDB server returns while it is shutting down, stepping down or recovering, or if it is too
 * slow. The driver labels them only if it could have retried the command, which excludes `updateMany`, `deleteMany` and
 * fetching more from a cursor.
 */
const transientServerCodes: ReadonlySet<unknown> = new Set([
  6, // HostUnreachable
  7, // HostNotFound
  43, // CursorNotFound: the server that held the cursor was restarted
  50, // MaxTimeMSExpired
  63, // StaleShardVersion
  64, // WriteConcernTimeout
  89, // NetworkTimeout
  91, // ShutdownInProgress
  133, // FailedToSatisfyReadPreference
  134, // ReadConcernMajorityNotAvailableYet
  150, // StaleEpoch
  189, // PrimarySteppedDown
  262, // ExceededTimeLimit
  9001, // SocketException
  10107, // NotWritablePrimary
  11600, // InterruptedAtShutdown
  11602, // InterruptedDueToReplStateChange
  13388, // StaleConfig
  13435, // NotPrimaryNoSecondaryOk
  13436, // NotPrimaryOrSecondary
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

/** Returns a message that reveals no details, for a failure that the caller did not cause. */
export function genericMessage(code: ErrorCode): string {
  return genericMessages[code] ?? 'The call failed';
}

/**
 * Converts whatever was thrown to an AppError. Anything unknown becomes INTERNAL with a generic message; the original
 * stays in `cause` for the log.
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

/** Reports whether an error is a temporary failure of MongoDB or NATS, or a bulk write error that wraps one. */
function isTransient(error: Error): boolean {
  const { code, errorResponse } = error as { code?: unknown; errorResponse?: unknown };
  return (
    transientErrors.has(error.name) ||
    connectionErrors.has(code) ||
    (error.name.startsWith('Mongo') && transientServerCodes.has(code)) ||
    hasTransientLabel(error) ||
    (errorResponse instanceof Error && isTransient(errorResponse))
  );
}

function hasTransientLabel(error: Error): boolean {
  const { errorLabels } = error as { errorLabels?: unknown };
  return Array.isArray(errorLabels) && transientLabels.some((label) => errorLabels.includes(label));
}
