import { describe, expect, it } from '@jest/globals';
import { describeLeft, describePast, describeTime } from './describe-time';

describe('describeTime', () => {
  it.each([
    [-10_000, 'just now'],
    [-5 * 60_000, '5 min. ago'],
    [-3 * 3_600_000, '3 hr. ago'],
    [-86_400_000, 'yesterday'],
  ])('%d ms from now is %s', (ms, text) => {
    expect(describeTime(1e12 + ms, 1e12)).toBe(text);
  });
});

describe('describePast', () => {
  it.each([
    [5 * 60_000, 'just now'],
    [-5 * 60_000, '5 min. ago'],
  ])('%d ms from now is %s', (ms, text) => {
    expect(describePast(1e12 + ms, 1e12)).toBe(text);
  });
});

describe('describeLeft', () => {
  it.each([
    [-1, ''],
    [65_000, '1:05'],
    [2 * 3_600_000 + 10 * 60_000, '2 h 10 min'],
    [7 * 86_400_000, '7 days'],
  ])('%d ms are %s', (ms, text) => {
    expect(describeLeft(ms)).toBe(text);
  });
});
