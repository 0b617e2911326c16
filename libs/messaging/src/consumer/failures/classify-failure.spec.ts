import { describe, expect, it } from '@jest/globals';
import { errorCodes } from '@daycare/api';
import { classifyFailure, retryDelayMs } from './classify-failure';

describe('classifyFailure', () => {
  it('classifies every error code', () => {
    expect(Object.fromEntries(errorCodes.map((code) => [code, classifyFailure(code)]))).toEqual({
      INVALID_ARGUMENT: 'permanent',
      UNAUTHENTICATED: 'permanent',
      PERMISSION_DENIED: 'permanent',
      NOT_FOUND: 'permanent',
      REQUEST_ID_REUSED: 'permanent',
      FAILED_PRECONDITION: 'permanent',
      CONFLICT: 'suspect',
      RATE_LIMITED: 'transient',
      QUOTA_EXCEEDED: 'permanent',
      CANCELLED: 'transient',
      DEADLINE_EXCEEDED: 'transient',
      UNAVAILABLE: 'transient',
      UNIMPLEMENTED: 'permanent',
      INTERNAL: 'suspect',
    });
  });
});

describe('retryDelayMs', () => {
  it('quadruples the delay up to the maximum', () => {
    const timing = { firstMs: 500, maxMs: 30_000 };
    expect([1, 2, 3, 4, 500].map((failures) => retryDelayMs(failures, timing))).toEqual([
      500, 2_000, 8_000, 30_000, 30_000,
    ]);
  });
});
