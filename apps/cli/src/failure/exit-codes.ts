import type { ErrorCode } from '@daycare/api';

/** Exit codes by kind of failure. Scripts depend on them, so they must not change. */
export const exitCodes = {
  ok: 0,
  failure: 1,
  usage: 2,
  notFound: 3,
  refused: 4,
  conflict: 5,
  unavailable: 6,
  partial: 7,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The meaning of each exit code, as shown by `daycare exit-codes`. */
export const exitCodeMeanings: Readonly<Record<ExitCode, string>> = {
  0: 'success',
  1: 'other failure; also when `status`, `admin status`, `doctor` or `demo` finds a problem',
  2: 'invalid command, option or argument',
  3: 'not found, or not visible to you',
  4: 'not signed in, token rejected, or permission denied',
  5: 'not possible now: conflict, cooldown, limit or unmet precondition',
  6: 'service unreachable or timed out',
  7: "partly done: `backup` was not given everything it needs, or could not read some users' files",
};

/** The exit code for each error code of a call. */
export const exitCodeOf: Readonly<Record<ErrorCode, ExitCode>> = {
  INVALID_ARGUMENT: exitCodes.usage,
  UNAUTHENTICATED: exitCodes.refused,
  PERMISSION_DENIED: exitCodes.refused,
  NOT_FOUND: exitCodes.notFound,
  REQUEST_ID_REUSED: exitCodes.conflict,
  FAILED_PRECONDITION: exitCodes.conflict,
  CONFLICT: exitCodes.conflict,
  RATE_LIMITED: exitCodes.conflict,
  QUOTA_EXCEEDED: exitCodes.conflict,
  CANCELLED: exitCodes.failure,
  DEADLINE_EXCEEDED: exitCodes.unavailable,
  UNAVAILABLE: exitCodes.unavailable,
  UNIMPLEMENTED: exitCodes.failure,
  INTERNAL: exitCodes.failure,
};
