import type { ErrorCode } from './error-code';

export interface FieldViolation {
  readonly field: string;
  readonly description: string;
}

/** Facts a client program may act on; each travels as its standard google.rpc message. */
export interface ErrorDetails {
  /** The request fields that were refused. */
  readonly fields?: readonly FieldViolation[];
  /** When the same call may succeed. */
  readonly retryAfterMs?: number;
  /** The limit that was hit. */
  readonly quota?: { readonly subject: string; readonly description: string };
  /** The state that was not as the call needs it. */
  readonly precondition?: {
    readonly type: string;
    readonly subject: string;
    readonly description: string;
  };
  /** Further machine-readable facts, sent in `ErrorInfo.metadata`. */
  readonly metadata?: Readonly<Record<string, string>>;
}

/**
 * The one error that crosses layers. Its message is shown to callers, so it never holds another
 * user's data; what only operators may read goes into `cause`.
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
 * The answer for everything the caller may not see, whether it exists or not. It names the kind of
 * thing only, so that both cases are the same byte for byte.
 */
export function notFound(what: string): AppError {
  return new AppError('NOT_FOUND', `${what} not found`);
}
