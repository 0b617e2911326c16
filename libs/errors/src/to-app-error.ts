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

const passingLabels = ['RetryableWriteError', 'TransientTransactionError'];

const blandText: Partial<Record<ErrorCode, string>> = {
  CANCELLED: 'The call was cancelled',
  UNAVAILABLE: 'The service is temporarily unavailable; try again',
  INTERNAL: 'Internal error',
};

/**
 * The one funnel from whatever was thrown to an AppError. What it does not recognise becomes INTERNAL
 * with a bland text; the original stays in `cause` for the log.
 */
export function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  const code = codeOf(thrown);
  return new AppError(code, blandText[code] ?? code, {}, { cause: thrown });
}

function codeOf(thrown: unknown): ErrorCode {
  if (!(thrown instanceof Error)) return 'INTERNAL';
  if (thrown.name === 'AbortError') return 'CANCELLED';
  if (passingFailures.has(thrown.name) || hasPassingLabel(thrown)) return 'UNAVAILABLE';
  return 'INTERNAL';
}

function hasPassingLabel(error: Error): boolean {
  const { errorLabels } = error as { errorLabels?: unknown };
  return Array.isArray(errorLabels) && passingLabels.some((label) => errorLabels.includes(label));
}
