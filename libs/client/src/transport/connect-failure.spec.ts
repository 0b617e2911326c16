import { describe, expect, it } from '@jest/globals';
import { toDaycareError } from './connect-failure';

describe('toDaycareError', () => {
  it('maps an oversized message to INVALID_ARGUMENT, not RATE_LIMITED', () => {
    const message = 'message size 3145728 is larger than configured readMaxBytes 2097152';
    const reasonOf = (text: string): string =>
      toDaycareError({ code: 'resource_exhausted', message: text }).reason;
    expect(reasonOf(message)).toBe('INVALID_ARGUMENT');
    expect(reasonOf('slow down')).toBe('RATE_LIMITED');
  });
});
