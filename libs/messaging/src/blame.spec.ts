import { describe, expect, it } from '@jest/globals';
import { errorCodes } from '@daycare/errors';
import { blameFor, retryDelayMs } from './blame';

describe('blameFor', () => {
  it('knows for every code whether the message is to blame', () => {
    expect(Object.fromEntries(errorCodes.map((code) => [code, blameFor(code)]))).toEqual({
      INVALID_ARGUMENT: 'hopeless',
      UNAUTHENTICATED: 'hopeless',
      PERMISSION_DENIED: 'hopeless',
      NOT_FOUND: 'hopeless',
      REQUEST_ID_REUSED: 'hopeless',
      FAILED_PRECONDITION: 'hopeless',
      CONFLICT: 'suspect',
      RATE_LIMITED: 'innocent',
      QUOTA_EXCEEDED: 'hopeless',
      CANCELLED: 'innocent',
      DEADLINE_EXCEEDED: 'innocent',
      UNAVAILABLE: 'innocent',
      UNIMPLEMENTED: 'hopeless',
      INTERNAL: 'suspect',
    });
  });
});

describe('retryDelayMs', () => {
  it('grows up to the limit', () => {
    const timing = { firstMs: 500, maxMs: 30_000 };
    expect([1, 2, 3, 4, 500].map((failures) => retryDelayMs(failures, timing))).toEqual([
      500, 2_000, 8_000, 30_000, 30_000,
    ]);
  });
});
