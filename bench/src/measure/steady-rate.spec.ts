import { describe, expect, it } from '@jest/globals';
import { isSteady } from './steady-rate';

describe('isSteady', () => {
  it('needs three slices', () => {
    expect(isSteady([1_000, 1_000])).toBe(false);
    expect(isSteady([1_000, 1_000, 1_000])).toBe(true);
  });

  it('is not steady while the rate still rises', () => {
    expect(isSteady([400, 700, 1_000])).toBe(false);
  });

  it('considers the newest slices only', () => {
    expect(isSteady([10, 400, 980, 1_010, 1_000])).toBe(true);
    expect(isSteady([1_000, 1_000, 1_000, 400])).toBe(false);
  });

  it('allows small numbers to differ by chance', () => {
    expect(isSteady([4, 6, 5])).toBe(true);
  });

  it('is not steady while nothing is answered', () => {
    expect(isSteady([0, 0, 0])).toBe(false);
  });
});
