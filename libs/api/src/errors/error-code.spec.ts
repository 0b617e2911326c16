import { describe, expect, it } from '@jest/globals';
import { errorCodeOfGrpcStatus, errorCodes, grpcStatusOf, retryOf } from './error-code';

describe('the table of error codes', () => {
  it.each(errorCodes)('has a gRPC status and a retry rule for %s', (code) => {
    expect(grpcStatusOf[code]).toBeGreaterThan(0);
    expect(grpcStatusOf[code]).toBeLessThanOrEqual(16);
    expect(['retry', 'give-up']).toContain(retryOf[code]);
  });

  it('maps a gRPC status back to the first code that uses it', () => {
    expect(errorCodeOfGrpcStatus(5)).toBe('NOT_FOUND');
    expect(errorCodeOfGrpcStatus(8)).toBe('RATE_LIMITED');
    expect(errorCodeOfGrpcStatus(14)).toBe('UNAVAILABLE');
  });

  it('maps an unknown status to INTERNAL', () => {
    expect(errorCodeOfGrpcStatus(2)).toBe('INTERNAL');
    expect(errorCodeOfGrpcStatus(99)).toBe('INTERNAL');
  });
});
