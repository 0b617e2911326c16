import type { ErrorCode } from '@daycare/errors';

/** How a command ends, by the kind of its failure. Scripts branch on these; they do not change. */
export const exitCodes = {
  ok: 0,
  failure: 1,
  usage: 2,
  notFound: 3,
  refused: 4,
  conflict: 5,
  unavailable: 6,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** What each exit code means to a person. */
export const exitCodeMeanings: Readonly<Record<ExitCode, string>> = {
  0: 'it worked',
  1: 'it failed for another reason; `status`, `doctor` and `demo` also when they find something wrong',
  2: 'the command or an argument is wrong',
  3: 'there is no such thing, or it is not yours to see',
  4: 'not signed in, the token is not accepted, or it is not allowed',
  5: 'not now: a conflict, a cooldown, a limit, or a step that is missing',
  6: 'a service cannot be reached, or did not answer in time',
};

/** The exit code of each way a call can fail. */
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
