import { AppError, type ErrorCode, type ErrorDetails } from '@daycare/api';
import type { ProviderVerdict } from '../domain/model-failure';
import { TooLongError } from '../domain/too-long-error';
import { readFailure, type ProviderFailure } from './provider-failure';

/** A verdict, or `long` for a request that was too long, which is not the provider's failure. */
type Judgement = ProviderVerdict | 'long';

/** A provider's failure, whose text may be shown to a person. */
export class ProviderError extends AppError {
  constructor(
    readonly verdict: ProviderVerdict,
    details: ErrorDetails = {},
    options?: ErrorOptions,
  ) {
    super(...outcomes[verdict], details, options);
  }
}

/** Codes, and messages for a person. No message comes from the provider. */
const outcomes: Readonly<Record<ProviderVerdict, readonly [ErrorCode, string]>> = {
  unavailable: ['UNAVAILABLE', 'the model provider is not available right now'],
  slow: ['UNAVAILABLE', 'the model provider took too long to answer'],
  limited: ['RATE_LIMITED', 'the model provider is limiting requests right now'],
  key: ['FAILED_PRECONDITION', 'the model provider rejected the API key'],
  forbidden: [
    'FAILED_PRECONDITION',
    'the model provider does not allow this model for the API key',
  ],
  quota: ['FAILED_PRECONDITION', "the model provider's quota is exhausted"],
  missing: ['FAILED_PRECONDITION', 'the model provider does not have this model'],
  refused: ['FAILED_PRECONDITION', 'the model provider rejected the request'],
};

/** Verdicts by the providers' own names for failures, which are often more precise than the HTTP status. */
const verdictOfKind: ReadonlyMap<string, Judgement> = new Map<string, Judgement>([
  ['rate_limit_error', 'limited'],
  ['rate_limit_exceeded', 'limited'],
  ['authentication_error', 'key'],
  ['permission_error', 'forbidden'],
  ['invalid_api_key', 'key'],
  ['billing_error', 'quota'],
  ['insufficient_quota', 'quota'],
  ['invalid_request_error', 'refused'],
  ['not_found_error', 'missing'],
  ['request_too_large', 'long'],
  ['context_length_exceeded', 'long'],
  ['model_not_found', 'missing'],
  ['API_KEY_INVALID', 'key'],
]);

const verdictOfStatus: ReadonlyMap<number, Judgement> = new Map<number, Judgement>([
  [401, 'key'],
  [402, 'quota'],
  [403, 'forbidden'],
  [404, 'missing'],
  [408, 'unavailable'],
  [409, 'unavailable'],
  [413, 'long'],
  [425, 'unavailable'],
  [429, 'limited'],
]);

/**
 * Turns whatever the SDK throws or a stream reports into an AppError that may be shown to a person. The cause
 * of that error is for the log and contains only facts, because the SDK's errors carry the whole request.
 */
export function toProviderError(thrown: unknown, nowMs = Date.now()): AppError {
  if (thrown instanceof AppError) return thrown;
  const failure = readFailure(thrown, nowMs);
  const verdict = judge(failure);
  const cause = new Error(describe(failure));
  if (verdict === 'long') return new TooLongError(cause);
  const { retryAfterMs } = failure;
  const details: ErrorDetails = retryAfterMs === undefined ? {} : { retryAfterMs };
  return new ProviderError(verdict, details, { cause });
}

/**
 * These verdicts take precedence over the status: an exhausted quota may be reported with the status of a rate limit, a
 * wrong key or a request that is too long with the status of a bad request, and a missing model with any status.
 */
const decisiveVerdicts: ReadonlySet<Judgement> = new Set<Judgement>([
  'quota',
  'key',
  'long',
  'missing',
]);

/**
 * A failure within a stream has no status, so its kind decides. With a status of 500 or more, the kind is
 * mostly ignored: a server that has failed may call any request a bad one.
 */
function judge({ status = 0, kinds, saysTooLong }: ProviderFailure): Judgement {
  const byKind = kinds.map((kind) => verdictOfKind.get(kind)).find((verdict) => verdict);
  if (byKind && decisiveVerdicts.has(byKind)) return byKind;
  if (saysTooLong && status !== 429) return 'long';
  if (status >= 500) return byKind === 'limited' ? byKind : 'unavailable';
  return status >= 300 ? (verdictOfStatus.get(status) ?? 'refused') : (byKind ?? 'unavailable');
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
