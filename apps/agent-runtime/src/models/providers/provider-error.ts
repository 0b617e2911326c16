import { AppError, type ErrorCode, type ErrorDetails } from '@daycare/api';
import { readFailure, type ProviderFailure } from './provider-failure';

type Verdict = 'unavailable' | 'limited' | 'key' | 'quota' | 'refused';

/** Texts for a person. None of them comes from the provider. */
const outcomes: Readonly<Record<Verdict, readonly [ErrorCode, string]>> = {
  unavailable: ['UNAVAILABLE', 'the model provider is not available right now'],
  limited: ['RATE_LIMITED', 'the model provider is limiting requests right now'],
  key: ['FAILED_PRECONDITION', 'the model provider rejected the API key'],
  quota: ['FAILED_PRECONDITION', "the model provider's quota is exhausted"],
  refused: [
    'FAILED_PRECONDITION',
    'the model provider rejected the request; the model may be unknown or the conversation too long',
  ],
};

/** The providers' own names of failures, for cases that the HTTP status does not cover. */
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
 * Turns whatever the SDK throws or a stream reports into an AppError that may be shown to a person. Its
 * cause is for the log and contains facts only: errors of the SDK carry the whole request.
 */
export function toProviderError(thrown: unknown, nowMs = Date.now()): AppError {
  if (thrown instanceof AppError) return thrown;
  const failure = readFailure(thrown, nowMs);
  const [code, text] = outcomes[judge(failure)];
  const { retryAfterMs } = failure;
  const details: ErrorDetails = retryAfterMs === undefined ? {} : { retryAfterMs };
  return new AppError(code, text, details, { cause: new Error(describe(failure)) });
}

/** An exhausted quota has the status of a rate limit; a failure within a stream has no status. */
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
  return `provider failure: ${facts.filter((fact) => fact !== '').join(', ')}`;
}
