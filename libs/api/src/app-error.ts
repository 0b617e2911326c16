import type { ErrorCode } from './errors/error-code';

export interface FieldViolation {
  readonly field: string;
  readonly description: string;
}

/** Facts a client program may act on; each travels as its standard google.rpc message. */
export interface ErrorDetails {
  /** The invalid request fields. */
  readonly fields?: readonly FieldViolation[];
  /** How long to wait before the same call may succeed. */
  readonly retryAfterMs?: number;
  /** The limit that was exceeded. */
  readonly quota?: { readonly subject: string; readonly description: string };
  /** The state that kept the call from succeeding. */
  readonly precondition?: {
    readonly type: string;
    readonly subject: string;
    readonly description: string;
  };
  /** Further machine-readable facts, sent in `ErrorInfo.metadata`. */
  readonly metadata?: Readonly<Record<string, string>>;
}

/**
 * The only error that crosses layers. Its message is shown to callers, so it must never contain another
 * user's data; anything that only operators may see goes into `cause`.
 */
export class AppError extends Error {
  override readonly name = 'AppError';

  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly details: ErrorDetails = {},
    options?: { cause?: unknown },
  ) {
    super(message, options);
  }
}

/**
 * The error for everything the caller may not see, whether it exists or not. Its message names nothing but the `kind`
 * (`agent`, `dead letter`), so that both cases are byte-identical.
 */
export function notFound(kind: Lowercase<string>): AppError {
  return new AppError('NOT_FOUND', `${kind.charAt(0).toUpperCase()}${kind.slice(1)} not found`);
}

/** The error for one invalid field; use `FieldChecks` to report several. */
export function invalidField(field: string, description: string): AppError {
  return invalidFields([{ field, description }]);
}

/** The error for several invalid fields; the message describes the first. */
export function invalidFields(fields: readonly [FieldViolation, ...FieldViolation[]]): AppError {
  return new AppError('INVALID_ARGUMENT', describeViolation(fields[0]), { fields });
}

const preposition = /(?:^|[_.])(?:at|by|for|from|in|of|to)(?![a-z])/;

/**
 * Puts a violation into words: the field `message_id` with `is required` becomes "The message id is required". Names
 * that do not read as nouns, such as `expires_at`, are quoted.
 */
export function describeViolation({ field, description }: FieldViolation): string {
  if (preposition.test(field)) return `"${field}" ${description}`;
  return `The ${field.replaceAll(/[_.]/g, ' ')} ${description}`;
}

/** The error for a request id that the caller has already used for a different request. */
export function requestIdReused(): AppError {
  return new AppError(
    'REQUEST_ID_REUSED',
    'The request id was already used for a different request',
  );
}
