import type { AppError, ErrorCode } from '@daycare/api';

/** Why a call failed, for a program to branch on. */
export type ErrorReason = ErrorCode;

/** The error that every failed call throws. */
export class DaycareError extends Error {
  override readonly name = 'DaycareError';
  /** E.g. `NOT_FOUND`; docs/clients.md lists all of them. */
  readonly reason: ErrorReason;
  /** How long to wait before the same call may succeed. */
  readonly retryAfterMs: number | undefined;
  /** The invalid fields of the request. */
  readonly fields: readonly { readonly field: string; readonly description: string }[];
  /** Further facts, by name. */
  readonly metadata: Readonly<Record<string, string>>;

  constructor({ code, message, details }: Pick<AppError, 'code' | 'message' | 'details'>) {
    super(message);
    this.reason = code;
    this.retryAfterMs = details.retryAfterMs;
    this.fields = details.fields ?? [];
    this.metadata = details.metadata ?? {};
  }
}

/** Whether an error is a DaycareError with one of the given reasons, or with any reason if none are given. */
export function isDaycareError(error: unknown, ...reasons: ErrorReason[]): error is DaycareError {
  if (!(error instanceof DaycareError)) return false;
  return reasons.length === 0 || reasons.includes(error.reason);
}
