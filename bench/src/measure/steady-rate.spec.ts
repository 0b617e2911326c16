import { describe, expect, it } from '@jest/globals';
import { isSteady } from './steady-rate';

describe('isSteady', () => {
  it('a rate needs three slices to be steady', () => {
    expect(isSteady([1_000, 1_000])).toBe(false);
    expect(isSteady([1_000, 1_000, 1_000])).toBe(true);
  });

  it('a rate is not steady while it still rises', () => {
    expect(isSteady([400, 700, 1_000])).toBe(false);
  });

  it('a rate is judged by its newest slices only', () => {
    expect(isSteady([10, 400, 980, 1_010, 1_000])).toBe(true);
    expect(isSteady([1_000, 1_000, 1_000, 400])).toBe(false);
  });

  it('a rate of few requests may vary by chance', () => {
    expect(isSteady([4, 6, 5])).toBe(true);
  });

  it('a rate is not steady while nothing is answered', () => {
    expect(isSteady([0, 0, 0])).toBe(false);
  });
});
