import { describe, expect, it } from '@jest/globals';
import { retryDelayMs } from './retry-delay';

describe('retryDelayMs', () => {
  it('quadruples the delay with every failure, up to the maximum', () => {
    const timing = { firstMs: 500, maxMs: 30_000 };
    expect([1, 2, 3, 4, 500].map((failures) => retryDelayMs(failures, timing))).toEqual([
      500, 2_000, 8_000, 30_000, 30_000,
    ]);
  });
});
