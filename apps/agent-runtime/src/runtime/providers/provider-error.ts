import { AppError, type ErrorCode, type ErrorDetails } from '@daycare/errors';
import { readFailure, type ProviderFailure } from './provider-failure';

type Verdict = 'unavailable' | 'limited' | 'key' | 'quota' | 'refused';

/** What a person is told. None of it comes from the provider. */
const outcomes: Readonly<Record<Verdict, readonly [ErrorCode, string]>> = {
  unavailable: ['UNAVAILABLE', 'the model provider is not available right now'],
  limited: ['RATE_LIMITED', 'the model provider is asked too often right now'],
  key: ['FAILED_PRECONDITION', 'the model provider refused its key'],
  quota: ['FAILED_PRECONDITION', 'what was paid for at the model provider is used up'],
  refused: [
    'FAILED_PRECONDITION',
    'the model provider refused the request; the model may be unknown or the conversation too long',
  ],
};

/** How the providers name their failures, where an HTTP status does not say it. */
const verdictOfKind: ReadonlyMap<string, Verdict> = new Map([
  ['rate_limit_error', 'limited'],
  ['rate_limit_exceeded', 'limited'],
  ['authentication_error', 'key'],
  ['permission_error', 'key'],
  ['invalid_api_key', 'key'],
  ['billing_error', 'quota'],
  ['insufficient_quota', 'quota'],
  ['invalid_request_error', 'refused'],
  ['not_found_error', 'refused'],
  ['request_too_large', 'refused'],
  ['context_length_exceeded', 'refused'],
  ['model_not_found', 'refused'],
]);

const verdictOfStatus: ReadonlyMap<number, Verdict> = new Map([
  [401, 'key'],
  [402, 'quota'],
  [403, 'key'],
  [408, 'unavailable'],
  [409, 'unavailable'],
  [425, 'unavailable'],
  [429, 'limited'],
]);

/**
 * The one funnel from whatever the SDK throws, or a stream reports, to an AppError that a person may
 * read. Its cause is for the log and holds facts only: what the SDK throws carries the whole request.
 */
export function toProviderError(thrown: unknown, nowMs = Date.now()): AppError {
  if (thrown instanceof AppError) return thrown;
  const failure = readFailure(thrown, nowMs);
  const [code, text] = outcomes[judge(failure)];
  const { retryAfterMs } = failure;
  const details: ErrorDetails = retryAfterMs === undefined ? {} : { retryAfterMs };
  return new AppError(code, text, details, { cause: new Error(describe(failure)) });
}

/** A quota that is used up comes as a rate limit; a failure within a stream has no status of its own. */
function judge({ status = 0, kinds }: ProviderFailure): Verdict {
  const named = kinds.map((kind) => verdictOfKind.get(kind)).find((verdict) => verdict);
  if (named === 'quota') return named;
  const isClear = status >= 300 && status < 500;
  return isClear ? (verdictOfStatus.get(status) ?? 'refused') : (named ?? 'unavailable');
}

function describe({ name, status, kinds, requestId }: ProviderFailure): string {
  const facts = [
    name,
    status === undefined ? '' : `status ${status}`,
    ...kinds,
    requestId === '' ? '' : `request ${requestId}`,
  ];
  return `the provider failed: ${facts.filter((fact) => fact !== '').join(', ')}`;
}
