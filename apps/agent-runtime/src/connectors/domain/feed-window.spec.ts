import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { FeedHorizon } from './feed-horizon';
import { decodePosition, encodePosition, startOfFeed } from './feed-position';
import { FeedWindow, endPosition, windowLimits } from './feed-window';

const { graceMs } = windowLimits;

/** The order that the database assigns at this time. */
const orderAt = (ms: number, tick: number): bigint =>
  (BigInt(Math.floor(ms / 1_000)) << 32n) + BigInt((ms % 1_000) * 1_000 + tick);

interface Write {
  readonly order: bigint;
  readonly visibleAtMs: number;
}

describe('FeedWindow', () => {
  it('a feed window lets every write be sent exactly once, despite late writes, stale reads and interrupted streams', () => {
    const write = fc.record({
      atMs: fc.integer({ min: 1, max: 120_000 }),
      lateByMs: fc.integer({ min: 0, max: graceMs - 1_000 }),
    });
    const read = fc.record({
      afterMs: fc.integer({ min: 1, max: 8_000 }),
      behindMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 40_000 })),
      isInterrupted: fc.boolean(),
      maxItems: fc.integer({ min: 0, max: 5 }),
    });
    const many = { minLength: 20, maxLength: 60 };
    fc.assert(
      fc.property(fc.array(write, many), fc.array(read, many), (drafts, reads) => {
        const writes = drafts.map(({ atMs, lateByMs }, index): Write => {
          return { order: orderAt(atMs, index), visibleAtMs: atMs + lateByMs };
        });
        let window = new FeedWindow(startOfFeed, 0);
        const horizon = new FeedHorizon();
        const sent: bigint[] = [];
        let nowMs = 0;
        let committedMs = 0;
        const last = [{ afterMs: 200_000, behindMs: 0, isInterrupted: false, maxItems: 1_000 }];
        for (const { afterMs, behindMs, isInterrupted, maxItems } of [...reads, ...last]) {
          nowMs += afterMs;
          committedMs = Math.max(committedMs, nowMs - behindMs);
          const { current } = horizon;
          const [committed, clock] = [orderAt(committedMs, 999), orderAt(nowMs, 999)];
          horizon.advance({ startedAtMs: nowMs, committed, clock });
          const visible = writes.filter(({ visibleAtMs }) => visibleAtMs <= committedMs);
          const unsent = visible
            .map(({ order }) => order)
            .filter((order) => !window.has({ order, id: '' }))
            .sort((a, b) => (a < b ? -1 : 1));
          for (const order of unsent.slice(0, maxItems)) {
            window.add({ order, id: '' }, nowMs);
            sent.push(order);
          }
          window.settle(current, unsent[maxItems]);
          const text = encodePosition(window.position);
          if (isInterrupted) window = new FeedWindow(decodePosition(text)!, nowMs);
        }
        expect(sent).toHaveLength(writes.length);
        expect(new Set(sent).size).toBe(writes.length);
      }),
    );
  });

  it('a feed window settles recent items by the replica’s clock and older ones by the database’s clock', () => {
    const window = new FeedWindow(startOfFeed, 0);
    const [old, recent] = [orderAt(0, 1), orderAt(100_000, 1)];
    window.add({ order: old, id: '' }, 0);
    window.add({ order: recent, id: '' }, 0);
    const since = recent;
    window.settle({ asOfMs: 0, since }, undefined);
    expect(window.low).toBe(old);
    window.settle({ asOfMs: graceMs - 1, since }, undefined);
    expect(window.low).toBe(old);
    window.settle({ asOfMs: graceMs, since }, undefined);
    expect(window.low).toBe(recent);
    expect(window.position.ahead).toEqual([]);
  });

  it('a feed window never settles beyond an unsent item', () => {
    const window = new FeedWindow(startOfFeed, 0);
    window.add({ order: 5n, id: '' }, 0);
    window.add({ order: 9n, id: '' }, 0);
    window.settle({ asOfMs: graceMs, since: 9n }, 7n);
    expect(window.low).toBe(5n);
    expect(window.has({ order: 9n, id: '' })).toBe(true);
    expect(window.has({ order: 7n, id: '' })).toBe(false);
  });

  it('a feed window distinguishes items with the same order', () => {
    const window = new FeedWindow(startOfFeed, 0);
    window.add({ order: 5n, id: 'a' }, 0);
    expect(window.has({ order: 5n, id: 'b' })).toBe(false);
  });

  it('a feed window has room for a limited number of unsettled items', () => {
    const window = new FeedWindow(startOfFeed, 0, { ...windowLimits, maxAhead: 2 });
    for (const order of [1n, 2n]) window.add({ order, id: '' }, 0);
    expect([window.room, window.settlesAtMs]).toEqual([0, graceMs]);
    window.settle({ asOfMs: graceMs, since: 2n }, undefined);
    expect([window.room, window.settlesAtMs]).toEqual([2, undefined]);
  });

  it('a feed window and its encoded position remember how much of a partly sent entry has been sent', () => {
    const window = new FeedWindow(startOfFeed, 0);
    window.addPart(7n, 3);
    expect([window.lastSentSequence(7n), window.lastSentSequence(8n)]).toEqual([3, 0]);
    const again = new FeedWindow(decodePosition(encodePosition(window.position))!, 0);
    expect(again.lastSentSequence(7n)).toBe(3);
    again.add({ order: 7n, id: '' }, 0);
    expect(again.lastSentSequence(7n)).toBe(0);
  });
});

describe('endPosition', () => {
  const keysAt = (...seconds: readonly number[]) =>
    seconds.map((second) => ({ order: orderAt(second * 1_000, 1), id: '' }));

  it('the end position lists the items that a late write may still precede', () => {
    const keys = keysAt(100, 89, 91, 95);
    const { low, ahead } = endPosition(keys, windowLimits)!;
    expect(low).toBe(orderAt(90_000, 1));
    expect(ahead).toEqual(keysAt(91, 95, 100));
  });

  it('the end position lists at most half as many items as a position can list', () => {
    const keys = keysAt(96, 97, 98, 99, 100);
    const { low, ahead } = endPosition(keys, { ...windowLimits, maxAhead: 4 })!;
    expect(low).toBe(orderAt(98_000, 1));
    expect(ahead).toEqual(keysAt(99, 100));
  });

  it('an empty feed has no end position', () => {
    expect(endPosition([], windowLimits)).toBeUndefined();
  });
});
