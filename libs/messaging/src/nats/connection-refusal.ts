import { ErrorCode, NatsError } from 'nats';

/** The server was reached but cannot be used as configured. The message is a clause that tells an operator why. */
export class NatsRefusal extends Error {
  override readonly name = 'NatsRefusal';
}

const authCodes: readonly string[] = [
  ErrorCode.AuthorizationViolation,
  ErrorCode.AuthenticationExpired,
  ErrorCode.AccountExpired,
];

const optionMissing: string = ErrorCode.ServerOptionNotAvailable;

/** Matches the codes of Node's errors about certificates and TLS handshakes. */
const certificateError = /CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS|ERR_SSL/;

/**
 * Returns why the server cannot be used as configured; undefined for other errors, after which the server may merely be
 * down.
 */
export function refusalOf(error: unknown): NatsRefusal | undefined {
  const clause = clauseFor(error);
  return clause === undefined ? undefined : new NatsRefusal(clause, { cause: error });
}

function clauseFor(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = (error as NodeJS.ErrnoException).code ?? '';
  if (authCodes.includes(code)) return 'the server refuses the user or the password';
  if (code === optionMissing) return 'the server does not offer TLS, which tls:// requires';
  if (certificateError.test(code)) return `the TLS handshake failed (${error.message})`;
  return error instanceof NatsError ? clauseFor(error.chainedError) : undefined;
}
