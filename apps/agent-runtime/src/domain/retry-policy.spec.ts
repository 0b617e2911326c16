import { describe, expect, it } from '@jest/globals';
import {
  afterFailure,
  afterInterruption,
  maxInterruptions,
  maxTries,
  type RetryVerdict,
} from './retry-policy';

const now = new Date('2026-01-01T00:00:00Z');
const delayOf = (verdict: RetryVerdict): number | 'dead' =>
  verdict.kind === 'dead' ? 'dead' : verdict.notBefore.getTime() - now.getTime();

describe('work that failed', () => {
  it.each([
    [1, 500],
    [2, 1_000],
    [3, 2_000],
    [4, 4_000],
    [5, 'dead'],
    [6, 'dead'],
  ])('%d times waits %p ms', (tries, delay) => {
    expect(delayOf(afterFailure(tries, now))).toBe(delay);
  });

  it('waits half as long at least, by chance', () => {
    expect([0, 0.5, 1].map((random) => delayOf(afterFailure(2, now, random)))).toEqual([
      1_000, 750, 500,
    ]);
  });

  it('is dead by the last try, whatever chance says', () => {
    expect(maxTries).toBe(5);
    expect([0, 1].map((random) => afterFailure(maxTries, now, random).kind)).toEqual([
      'dead',
      'dead',
    ]);
  });
});

describe('work that was interrupted', () => {
  it.each([
    [1, 0],
    [2, 0],
    [3, 0],
    [4, 500],
    [5, 1_000],
    [9, 16_000],
    [10, 30_000],
    [24, 30_000],
    [25, 'dead'],
    [26, 'dead'],
  ])('%d times waits %p ms', (interruptions, delay) => {
    expect(delayOf(afterInterruption(interruptions, now))).toBe(delay);
  });

  it('is dead from the last interruption on', () => {
    expect(maxInterruptions).toBe(25);
  });
});
