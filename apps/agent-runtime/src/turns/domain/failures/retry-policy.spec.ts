import { describe, expect, it } from '@jest/globals';
import {
  afterFailure,
  afterInterruption,
  afterTransientFailure,
  maxTries,
  type RetryVerdict,
} from './retry-policy';

const now = new Date('2026-01-01T00:00:00Z');
const delayOf = (verdict: RetryVerdict): number | 'dead' =>
  verdict.kind === 'dead' ? 'dead' : verdict.notBefore.getTime() - now.getTime();

describe('afterFailure', () => {
  it.each([
    [1, 500],
    [2, 1_000],
    [3, 2_000],
    [4, 4_000],
    [5, 'dead'],
    [6, 'dead'],
  ])('after %d failures the verdict is %p (a delay in ms, or "dead")', (tries, delay) => {
    expect(delayOf(afterFailure(tries, now))).toBe(delay);
  });

  it('shortens the delay after a failure at random, by up to half', () => {
    expect([0, 0.5, 1].map((random) => delayOf(afterFailure(2, now, random)))).toEqual([
      1_000, 750, 500,
    ]);
  });

  it('abandons work after the fifth try, whatever the random value', () => {
    expect(maxTries).toBe(5);
    expect([0, 1].map((random) => afterFailure(maxTries, now, random).kind)).toEqual([
      'dead',
      'dead',
    ]);
  });
});

describe('afterInterruption', () => {
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
  ])(
    'after %d interruptions the verdict is %p (a delay in ms, or "dead")',
    (interruptions, delay) => {
      expect(delayOf(afterInterruption(interruptions, now))).toBe(delay);
    },
  );
});

describe('afterTransientFailure', () => {
  const minuteMs = 60_000;
  const hourMs = 60 * minuteMs;
  const delay = (count: number, retryAfterMs?: number, sinceMs = 0, random = 0) =>
    delayOf(
      afterTransientFailure(
        { since: new Date(now.getTime() - sinceMs), count, retryAfterMs },
        6 * hourMs,
        now,
        random,
      ),
    );

  it.each([
    [1, 2_000],
    [2, 4_000],
    [5, 32_000],
    [9, 5 * minuteMs],
    [500, 5 * minuteMs],
  ])('wait number %d takes at most %d ms, and at least half of that', (count, ms) => {
    expect(delay(count)).toBe(ms);
    expect(delay(count, undefined, 0, 1)).toBe(ms / 2);
  });

  it('waits at least as long as the provider requests, but never longer than an hour', () => {
    expect(delay(1, minuteMs)).toBe(minuteMs);
    expect(delay(1, minuteMs, 0, 1)).toBe(minuteMs);
    expect(delay(1, 48 * hourMs)).toBe(hourMs);
    expect(delay(9, 1_000)).toBe(5 * minuteMs);
  });

  it('tries once more when the maximum wait is over, then abandons the work', () => {
    expect(delay(70, undefined, 6 * hourMs - minuteMs)).toBe(minuteMs);
    expect(delay(70, hourMs, 6 * hourMs - minuteMs)).toBe(minuteMs);
    expect(delay(71, undefined, 6 * hourMs)).toBe('dead');
  });
});
