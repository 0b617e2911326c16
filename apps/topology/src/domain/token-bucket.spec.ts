import { expect, it } from '@jest/globals';
import { refill, waitMs } from './token-bucket';

const rate = { perSecond: 2, burst: 4 };

it('a bucket begins full, fills with time, never over its rim and never backwards', () => {
  expect(refill(undefined, rate, 1_000)).toEqual({ tokens: 4, filledAt: 1_000 });
  expect(refill({ tokens: 0, filledAt: 1_000 }, rate, 2_000).tokens).toBe(2);
  expect(refill({ tokens: 0, filledAt: 1_000 }, rate, 60_000).tokens).toBe(4);
  expect(refill({ tokens: 1, filledAt: 1_000 }, rate, 0).tokens).toBe(1);
});

it('an empty bucket says how long to wait', () => {
  expect(waitMs({ tokens: 1, filledAt: 0 }, rate)).toBe(0);
  expect(waitMs({ tokens: 0.5, filledAt: 0 }, rate)).toBe(250);
});
