import { AppError, describeViolation, type ErrorCode } from '@daycare/api';
import { CallFailure } from './call-failure';
import { exitCodeOf, exitCodes, type ExitCode } from './exit-codes';
import { Failure, type Hints } from './failure';

export interface Description {
  readonly exitCode: ExitCode;
  /** What is wrong, then what to do next. */
  readonly lines: readonly string[];
}

/** What a command knows about its own failures. */
export interface FailureContext {
  readonly hints?: Hints | undefined;
  /** The command-line option that sets a request field, if there is one. */
  readonly findOption?: (field: string) => string | undefined;
  readonly now?: Date;
}

/** Describes any thrown value to a person. Only a bug in the CLI shows its stack trace. */
export function describeFailure(thrown: unknown, context: FailureContext = {}): Description {
  if (thrown instanceof Failure) {
    return { exitCode: thrown.exitCode, lines: withHint([thrown.message], thrown.hint) };
  }
  if (thrown instanceof CallFailure) return describeCall(thrown, context);
  if (thrown instanceof AppError) {
    return { exitCode: exitCodeOf[thrown.code], lines: [thrown.message] };
  }
  const text = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
  return { exitCode: exitCodes.failure, lines: [text] };
}

function describeCall(failure: CallFailure, context: FailureContext): Description {
  const { error } = failure;
  const { hints = {}, findOption = () => undefined, now = new Date() } = context;
  const hint = retryHint(error, now) ?? hints[error.code] ?? generalHint[error.code]?.(failure);
  const problem = describeProblem(failure, findOption);
  return { exitCode: exitCodeOf[error.code], lines: withHint([problem], hint) };
}

function describeProblem(
  { error, service, address }: CallFailure,
  findOption: (field: string) => string | undefined,
): string {
  const outage = outages[error.code];
  if (outage) return `${service} at ${address} ${outage}`;
  const { fields = [] } = error.details;
  const violations = fields.map((violation) => {
    const option = findOption(violation.field);
    return option ? `${option} ${violation.description}` : describeViolation(violation);
  });
  const [first] = fields;
  const isAboutFirst = first && error.message === describeViolation(first);
  const problems = isAboutFirst ? violations : [error.message, ...violations.slice(1)];
  return problems.map(asSentence).join(' ');
}

/** Errors whose own message says nothing to a person. */
const outages: Readonly<Partial<Record<ErrorCode, string>>> = {
  UNAVAILABLE: 'is not responding.',
  DEADLINE_EXCEEDED: 'did not respond in time.',
  UNIMPLEMENTED: 'does not support this call.',
};

function asSentence(text: string): string {
  const sentence = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?…]$/.test(sentence) ? sentence : `${sentence}.`;
}

/** When the same call may succeed, if the service says so. */
function retryHint({ details }: AppError, now: Date): string | undefined {
  const { retryAfterMs, metadata = {} } = details;
  if (retryAfterMs === undefined) return undefined;
  const at = metadata['allowed_at'] ?? new Date(now.getTime() + retryAfterMs).toISOString();
  return `Allowed from ${at}, in ${toDuration(retryAfterMs)}.`;
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
  UNIMPLEMENTED: () => 'The server is older than this CLI; update it.',
  UNAUTHENTICATED: ({ context, token }) =>
    token.isGiven
      ? 'DAYCARE_TOKEN was rejected; unset it or set a new one.'
      : `The token of context "${context}" was rejected; sign in again with "daycare login".`,
  REQUEST_ID_REUSED: () => 'Omit --request-id to generate a new one.',
};

function withHint(lines: readonly string[], hint: string | undefined): string[] {
  return hint === undefined ? [...lines] : [...lines, hint];
}
