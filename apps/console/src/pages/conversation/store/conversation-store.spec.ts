import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { DaycareError } from '@daycare/client/browser';
import { HistoryRecord } from '@daycare/contracts/agent-runtime';
import { browserWindow } from '../../../testing/fake-browser';
import { FakeLocks } from '../../../testing/fake-locks';
import { daycare } from '../../../data/client';
import { eventually } from '@daycare/testing';
import { ConversationStore } from './conversation-store';

const length = 2_500;
const unavailable = new DaycareError({ code: 'UNAVAILABLE', message: 'No', details: {} });

/** Returns the records after sequence number `from`, up to and including `to`. */
function pageOf(from: number, to: number) {
  const sequences = Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index + 1);
  return sequences.map((sequence) => HistoryRecord.fromPartial({ sequence }));
}

describe('the history of a conversation', () => {
  const listing = jest.spyOn(daycare.rpc.agentRuntime, 'listHistory');
  const watching = jest.spyOn(daycare.watch, 'agent');
  let store: ConversationStore;
  let close = (): void => undefined;

  beforeEach(async () => {
    Object.defineProperty(globalThis, 'navigator', {
      value: { locks: new FakeLocks() },
      configurable: true,
    });
    // A stream that sends nothing until it is closed.
    watching.mockImplementation(async function* (_agentId, options) {
      await new Promise((resolve) => options?.signal?.addEventListener('abort', resolve));
      yield* [];
    });
    listing.mockImplementation(({ newestFirst, afterSequence, pageSize, pageToken }) => {
      if (newestFirst)
        return Promise.resolve({
          records: pageOf(length - 60, length).reverse(),
          nextPageToken: '',
        });
      const from = pageToken === '' ? afterSequence : Number(pageToken);
      // Pages end after at most 150 records, as pages with large records do.
      const to = Math.min(length, from + Math.min(pageSize, 150));
      return Promise.resolve({ records: pageOf(from, to), nextPageToken: String(to) });
    });
    store = new ConversationStore('a1');
    close = store.open();
    await eventually(() => store.isLoaded.value);
  });
  afterEach(() => {
    close();
    jest.useRealTimers();
    Reflect.deleteProperty(globalThis, 'navigator');
  });

  const isWhole = (): boolean =>
    store.records.value.every(({ sequence }, index, all) => sequence === all[0]!.sequence + index);

  it('a history is read backwards page by page without gaps', async () => {
    await store.loadEarlier();
    expect([store.records.value[0]?.sequence, isWhole()]).toEqual([length - 360 + 1, true]);
    await store.loadAll();
    expect([store.records.value[0]?.sequence, isWhole()]).toEqual([1, true]);
  });

  it('reports why earlier records could not be read, and reads them on a retry', async () => {
    listing.mockRejectedValueOnce(unavailable);
    await store.loadEarlier();
    expect(store.earlierProblem.value).not.toBe('');
    const callsBefore = listing.mock.calls.length;
    await store.loadEarlier();
    expect(listing.mock.calls).toHaveLength(callsBefore);
    await store.retryEarlier();
    expect([store.earlierProblem.value, store.records.value.length]).toEqual(['', 360]);
  });

  it.each([
    // One redraw for the initial page, one immediately for the first records, and one after 100 ms for the next ones;
    // the rest are drawn four times a second, or less often while the person is typing.
    ['in a few redraws', false, 9],
    ['in fewer redraws while the person is typing', true, 5],
  ])('shows a burst of records %s, complete and in order', async (_, isTyping, expected) => {
    close();
    jest.useFakeTimers();
    const typing = setInterval(() => {
      if (isTyping) browserWindow.dispatchEvent(new Event('keydown'));
    }, 100);
    const storm = pageOf(length, length + 300);
    watching.mockImplementation(async function* (_agentId, options) {
      for (const value of storm) {
        yield { $case: 'record' as const, value };
        // 200 records a second, for a second and a half.
        if (value.sequence % 10 === 0) await new Promise((resolve) => setTimeout(resolve, 50));
      }
      await new Promise((resolve) => options?.signal?.addEventListener('abort', resolve));
    });
    let redraws = 0;
    const stop = store.records.subscribe(() => void (redraws += 1));
    close = store.open();
    await jest.advanceTimersByTimeAsync(1_900);
    stop();
    clearInterval(typing);
    expect([isWhole(), store.records.value.length]).toEqual([true, 360]);
    expect(redraws).toBe(expected);
  });

  it('reading a history back to its beginning stops when no more records are returned or a read fails', async () => {
    listing.mockResolvedValue({ records: [], nextPageToken: '' });
    await store.loadAll();
    expect(store.hasEarlier.value).toBe(true);
    listing.mockRejectedValue(unavailable);
    await store.loadAll();
    expect(store.earlierProblem.value).not.toBe('');
  });
});
