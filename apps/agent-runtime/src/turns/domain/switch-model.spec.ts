import { describe, expect, it } from '@jest/globals';
import type { ErrorCode } from '@daycare/api';
import { decidingFailure } from './switch-model';

const failure = (source: string, code: ErrorCode, retryAfterMs?: number) => ({
  source,
  code,
  reason: `${source} failed`,
  ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
});
const failedModel = (provider: string, code: ErrorCode, retryAfterMs?: number) => {
  const { source, ...rest } = failure(provider, code, retryAfterMs);
  return { ...rest, model: `${source}/meta/m1` };
};

describe('decidingFailure', () => {
  it('the deciding failure is the last one when no other model has failed', () => {
    const last = failure('a', 'FAILED_PRECONDITION');
    expect(decidingFailure(last, {})).toEqual(last);
  });

  it('a transient failure of an earlier model outweighs a refusal by the last one', () => {
    const failedModels = [failedModel('a', 'RATE_LIMITED', 5_000)];
    const last = failure('b', 'FAILED_PRECONDITION');
    expect(decidingFailure(last, { failedModels })).toEqual(failure('a', 'RATE_LIMITED', 5_000));
  });

  it('the deciding failure is the transient failure with the shortest pause', () => {
    const failedModels = [
      failedModel('a', 'RATE_LIMITED', 3_600_000),
      failedModel('b', 'RATE_LIMITED', 5_000),
    ];
    const last = failure('c', 'RATE_LIMITED', 60_000);
    expect(decidingFailure(last, { failedModels }).source).toBe('b');
    const withoutPause = failure('c', 'UNAVAILABLE');
    expect(decidingFailure(withoutPause, { failedModels })).toBe(withoutPause);
  });

  it('the deciding failure is the last refusal when all models have refused', () => {
    const failedModels = [failedModel('a', 'FAILED_PRECONDITION')];
    const last = failure('b', 'FAILED_PRECONDITION');
    expect(decidingFailure(last, { failedModels })).toBe(last);
  });
});
