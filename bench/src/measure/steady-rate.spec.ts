import { describe, expect, it } from '@jest/globals';
import { isSteady } from './steady-rate';

const slices = (count: number, rate: number): number[] => Array<number>(count).fill(rate);

describe('isSteady', () => {
  it('a rate needs twelve slices to be steady', () => {
    expect(isSteady(slices(11, 1_000))).toBe(false);
    expect(isSteady(slices(12, 1_000))).toBe(true);
  });

  it('a rate is not steady while it still rises, even if neighbouring slices hardly differ', () => {
    const rising = slices(12, 1_000).map((rate, index) => rate + 20 * index);
    expect(isSteady(rising)).toBe(false);
  });

  it('whether a rate is steady depends only on its newest slices', () => {
    expect(isSteady([10, 400, ...slices(12, 1_000)])).toBe(true);
    expect(isSteady([...slices(12, 1_000), 700])).toBe(false);
  });

  it('a rate is not steady while its newest slices differ, even if their sum stays the same', () => {
    expect(isSteady([...slices(9, 1_000), 800, 1_200, 1_000])).toBe(false);
  });

  it('a rate of few requests is steady although it varies a little by chance', () => {
    expect(isSteady(slices(12, 5).map((rate, index) => rate + (index % 3) - 1))).toBe(true);
  });

  it('a rate is not steady while nothing is answered', () => {
    expect(isSteady(slices(12, 0))).toBe(false);
  });
});
