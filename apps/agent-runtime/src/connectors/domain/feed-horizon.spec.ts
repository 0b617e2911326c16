import { expect, it } from '@jest/globals';
import { FeedHorizon } from './feed-horizon';

it('a horizon’s `asOfMs` advances only when a majority of the database’s members has stored everything up to the clock time that an earlier read recorded', () => {
  const horizon = new FeedHorizon();
  horizon.advance({ startedAtMs: 1_000, committed: 5n, clock: 7n });
  expect(horizon.current).toEqual({ since: 5n, asOfMs: -Infinity });
  for (const startedAtMs of [20_000, 40_000]) {
    horizon.advance({ startedAtMs, committed: 6n, clock: 90n });
    expect(horizon.current).toEqual({ since: 6n, asOfMs: -Infinity });
  }
  horizon.advance({ startedAtMs: 50_000, committed: 8n, clock: 95n });
  expect(horizon.current).toEqual({ since: 8n, asOfMs: 1_000 });
  horizon.advance({ startedAtMs: 60_000, committed: 95n, clock: 96n });
  expect(horizon.current).toEqual({ since: 95n, asOfMs: 50_000 });
});

it('a horizon never moves back when a read that started earlier ends later', () => {
  const horizon = new FeedHorizon();
  horizon.advance({ startedAtMs: 2_000, committed: 5n, clock: 5n });
  horizon.advance({ startedAtMs: 1_000, committed: 5n, clock: 5n });
  horizon.advance({ startedAtMs: 1_500, committed: 4n, clock: 5n });
  expect(horizon.current).toEqual({ since: 5n, asOfMs: 2_000 });
});

it('a horizon’s `asOfMs` stays -Infinity while the database’s clock is unknown', () => {
  const horizon = new FeedHorizon();
  for (const startedAtMs of [0, 50_000]) horizon.advance({ startedAtMs, committed: 5n, clock: 0n });
  expect(horizon.current).toEqual({ since: 5n, asOfMs: -Infinity });
});
