import { describe, expect, it } from '@jest/globals';
import { backoffMs } from './backoff';

const backoff = { firstMs: 100, maxMs: 5_000 };

describe('backoffMs', () => {
  it('doubles the delay with every attempt, up to the maximum', () => {
    const delays = [1, 2, 3, 6, 7, 5_000].map((attempt) => backoffMs(attempt, backoff));
    expect(delays).toEqual([100, 200, 400, 3_200, 5_000, 5_000]);
  });

  it('treats attempt 0 like attempt 1', () => {
    expect(backoffMs(0, backoff)).toBe(100);
  });

  it('multiplies the delay by the given factor', () => {
    const delays = [1, 2, 3, 4].map((attempt) => backoffMs(attempt, { ...backoff, factor: 4 }));
    expect(delays).toEqual([100, 400, 1_600, 5_000]);
  });

  it('randomises only the share of the delay that the jitter specifies', () => {
    const delaysWith = (jitter: number) =>
      [0, 0.5, 1].map((random) => backoffMs(2, { ...backoff, jitter }, random));
    expect(delaysWith(0)).toEqual([200, 200, 200]);
    expect(delaysWith(0.5)).toEqual([100, 150, 200]);
    expect(delaysWith(1)).toEqual([0, 100, 200]);
  });
});
