import { describe, expect, it } from '@jest/globals';
import { classifyFailure } from './classify-failure';
import { errorCodes } from './error-code';

describe('classifyFailure', () => {
  it('classifies every error code as permanent, transient or suspect', () => {
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
