import { describe, expect, it } from '@jest/globals';
import { percentileOf } from './percentile';

describe('percentileOf', () => {
  const hundred = Array.from({ length: 100 }, (_, index) => index + 1);

  it('a percentile is the sample at the nearest rank, not an interpolated value', () => {
    expect(percentileOf(hundred, 50)).toBe(50);
    expect(percentileOf(hundred, 99)).toBe(99);
    expect(percentileOf(hundred, 100)).toBe(100);
    expect(percentileOf([1, 2, 3], 50)).toBe(2);
    expect(percentileOf([1, 2, 3], 99)).toBe(3);
  });

  it('percentile 0 is the smallest sample', () => {
    expect(percentileOf(hundred, 0)).toBe(1);
  });

  it('the percentile of one sample is that sample; without samples it is NaN', () => {
    expect(percentileOf([7], 50)).toBe(7);
    expect(percentileOf([], 50)).toBeNaN();
  });
});
