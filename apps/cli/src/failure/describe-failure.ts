import { AppError, describeViolation, type ErrorCode } from '@daycare/api';
import { DaycareError } from '@daycare/client/errors';
import { CallFailure } from './call-failure';
import { DescribedFailure } from './described-failure';
import { exitCodeOf, exitCodes, type ExitCode } from './exit-codes';
import { Failure, type Hints } from './failure';

/** What is known about a failure. */
export interface Problem {
  readonly exitCode: ExitCode;
  /** What is wrong. */
  readonly message: string;
  /** What to do next. */
  readonly hint?: string | undefined;
  /** The command line that shows the help, if the command may have been used in the wrong way. */
  readonly help?: string | undefined;
  /** The code of a failed call. */
  readonly code?: ErrorCode;
}

export interface Description extends Problem {
  /** For a person: what is wrong, then what to do next, then where to read more. */
  readonly lines: readonly string[];
}

function linesOf({ message, hint, help }: Problem): string[] {
  const more = help === undefined ? [] : [`Help: ${help}`];
  return [message, ...(hint === undefined ? [] : [hint]), ...more];
}

/** Renders a failure as JSON, for programs. */
export function toErrorJson({ message, hint, help, code, exitCode }: Problem): string {
  return JSON.stringify({ error: { code, message, hint, help, exitCode } });
}

/** What a command knows about its own failures. */
export interface FailureContext {
  readonly hints?: Hints | undefined;
  /** The command-line option that sets a request field, if there is one. */
  readonly findOption?: (field: string) => string | undefined;
  /** The command line that shows the command's help. */
  readonly help?: string;
  readonly now?: Date;
}

/** The exit codes of failures that the command's help may explain. */
const exitCodesWithHelp: readonly ExitCode[] = [
  exitCodes.usage,
  exitCodes.notFound,
  exitCodes.conflict,
];

/** Describes any thrown value for a person. Only an unexpected error is shown with its stack trace. */
export function describeFailure(thrown: unknown, context: FailureContext = {}): Description {
  if (thrown instanceof DescribedFailure) return thrown.description;
  const described = describe(thrown, context);
  const problem = exitCodesWithHelp.includes(described.exitCode)
    ? { ...described, help: context.help }
    : described;
  return { ...problem, lines: linesOf(problem) };
}

function describe(thrown: unknown, context: FailureContext): Problem {
  if (thrown instanceof Failure)
    return { exitCode: thrown.exitCode, message: thrown.message, hint: thrown.hint };
  if (thrown instanceof CallFailure) return describeCall(thrown, context);
  if (thrown instanceof AppError) return problemWithCode(thrown.code, thrown.message);
  if (thrown instanceof DaycareError) return problemWithCode(thrown.reason, thrown.message);
  const message = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
  return { exitCode: exitCodes.failure, message };
}

function problemWithCode(code: ErrorCode, message: string): Problem {
  return { exitCode: exitCodeOf[code], message, code };
}

function describeCall(failure: CallFailure, context: FailureContext): Problem {
  const { reason } = failure;
  const { hints = {}, findOption = () => undefined, now = new Date() } = context;
  const hint = retryHint(failure, now) ?? hints[reason] ?? generalHint[reason]?.(failure);
  return { ...problemWithCode(reason, describeProblem(failure, findOption)), hint };
}

function describeProblem(
  { reason, message, fields, service, address }: CallFailure,
  findOption: (field: string) => string | undefined,
): string {
  const outage = outages[reason];
  if (outage) return `${service} at ${address} ${outage}`;
  const violations = fields.map((violation) => {
    const option = findOption(violation.field);
    return option ? `${option} ${violation.description}` : describeViolation(violation);
  });
  // The message of an invalid request usually repeats its first violation.
  const isRepeated = fields.some((violation) => message === describeViolation(violation));
  const problems = isRepeated ? violations : [message, ...violations];
  return problems.map(asSentence).join(' ');
}

/** Wording for errors whose own message means nothing to a person. */
const outages: Readonly<Partial<Record<ErrorCode, string>>> = {
  UNAVAILABLE: 'is not responding.',
  DEADLINE_EXCEEDED: 'did not respond in time.',
  UNIMPLEMENTED: 'does not support this call.',
};

function asSentence(text: string): string {
  const sentence = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?…]$/.test(sentence) ? sentence : `${sentence}.`;
}

/** Says when the same call may succeed, if the service states it. */
function retryHint(
  { retryAfterMs, metadata, message }: CallFailure,
  now: Date,
): string | undefined {
  if (retryAfterMs === undefined) return undefined;
  const at = metadata['allowed_at'] ?? new Date(now.getTime() + retryAfterMs).toISOString();
  const wait = toDuration(retryAfterMs);
  return message.includes(at) ? `That is in ${wait}.` : `You can try again in ${wait}, at ${at}.`;
}

function toDuration(ms: number): string {
  const units = [
    ['day', 86_400_000],
    ['hour', 3_600_000],
    ['minute', 60_000],
    ['second', 1_000],
  ] as const;
  const [name, size] = units.find(([, unitMs]) => ms >= unitMs) ?? units[3];
  const count = Math.max(1, Math.ceil(ms / size));
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}

const generalHint: Readonly<Partial<Record<ErrorCode, (failure: CallFailure) => string>>> = {
  UNAVAILABLE: () =>
    'Is it running? Check with "daycare status"; start all services with "npm start".',
  DEADLINE_EXCEEDED: () =>
    'The request may still be carried out. Retry with a longer --timeout and the same --request-id.',
  UNIMPLEMENTED: () => 'The server is older than this CLI; update the server.',
  UNAUTHENTICATED: ({ context, isTokenFromEnvironment }) =>
    isTokenFromEnvironment
      ? 'DAYCARE_TOKEN was rejected; unset it or set a new one.'
      : `The token of context "${context}" was rejected; sign in again with "daycare login".`,
  REQUEST_ID_REUSED: () => 'Omit --request-id to generate a new one.',
};
