import { AppError, type ErrorCode } from '@daycare/errors';
import { CallFailure } from './call-failure';
import { exitCodeOf, exitCodes, type ExitCode } from './exit-codes';
import { Failure, type Hints } from './failure';

export interface Description {
  readonly exitCode: ExitCode;
  /** What is wrong, then what to do next. */
  readonly lines: readonly string[];
}

/** What a person is told of whatever was thrown. Only a bug of ours shows where it happened. */
export function describeFailure(thrown: unknown, hints: Hints = {}, now = new Date()): Description {
  if (thrown instanceof Failure) {
    return { exitCode: thrown.exitCode, lines: withHint([thrown.message], thrown.hint) };
  }
  if (thrown instanceof CallFailure) return describeCall(thrown, hints, now);
  if (thrown instanceof AppError) {
    return { exitCode: exitCodeOf[thrown.code], lines: [thrown.message] };
  }
  const text = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
  return { exitCode: exitCodes.failure, lines: [text] };
}

function describeCall(failure: CallFailure, hints: Hints, now: Date): Description {
  const { error } = failure;
  const hint = retryHint(error, now) ?? hints[error.code] ?? generalHint[error.code]?.(failure);
  return { exitCode: exitCodeOf[error.code], lines: withHint([whatIsWrong(failure)], hint) };
}

function whatIsWrong({ error, service, address }: CallFailure): string {
  const silent = silences[error.code];
  if (silent) return `${service} at ${address} ${silent}`;
  return [asSentence(error.message), ...furtherFields(error)].join(' ');
}

/** What a service does whose answer says nothing to a person. */
const silences: Readonly<Partial<Record<ErrorCode, string>>> = {
  UNAVAILABLE: 'does not answer.',
  DEADLINE_EXCEEDED: 'did not answer in time.',
  UNIMPLEMENTED: 'does not know this call.',
};

/** The message names the first field that is wrong; there may be more. */
function furtherFields({ details: { fields = [] } }: AppError): string[] {
  return fields.slice(1).map(({ field, description }) => asSentence(`${field} ${description}`));
}

function asSentence(text: string): string {
  const begun = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?…]$/.test(begun) ? begun : `${begun}.`;
}

/** The service knows when the same call may succeed. */
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
  UNAVAILABLE: () => 'Is it running? "npm start" starts all services; "daycare status" shows them.',
  DEADLINE_EXCEEDED: () =>
    'It may still be carried out. Repeat it with a longer --timeout and the same --request-id.',
  UNIMPLEMENTED: () => 'The server is older than this command; update it.',
  UNAUTHENTICATED: ({ context, token }) =>
    token.isGiven
      ? 'DAYCARE_TOKEN is not accepted; unset it or give a new one.'
      : `The token of context "${context}" is not accepted; sign in again with "daycare login".`,
  REQUEST_ID_REUSED: () => 'Leave --request-id out to have a new one made.',
};

function withHint(lines: readonly string[], hint: string | undefined): string[] {
  return hint === undefined ? [...lines] : [...lines, hint];
}
