import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { signal } from '@preact/signals';
import '../../testing/fake-browser';
import { FakeChannel } from '../../testing/fake-channel';
import { FakeLocks } from '../../testing/fake-locks';
import { refreshShared, shareLive } from './share-live';

/** Opens one of a person's windows, which all share a single stream. */
function openWindow(userId: string) {
  const received = signal<unknown>(undefined);
  const opened = {
    received,
    isFollowing: false,
    refreshCount: 0,
    isMarkedInterrupted: false,
    isInterrupted: signal(false),
  };
  const refresh = (): void => void (opened.refreshCount += 1);
  shareLive([{ name: 'topology', follow: async () => undefined, received, refresh }], {
    userId,
    runLive: () => {
      opened.isFollowing = true;
      return () => void (opened.isFollowing = false);
    },
    isAnyInterrupted: () => opened.isInterrupted,
    markInterrupted: (_, isInterrupted) => void (opened.isMarkedInterrupted = isInterrupted),
  });
  return Object.assign(opened, { channel: FakeChannel.instances.at(-1)! });
}

describe('windows that share what they receive', () => {
  let restore = (): void => undefined;
  beforeEach(() => {
    jest.useFakeTimers();
    restore = FakeChannel.install();
    Object.defineProperty(globalThis, 'navigator', {
      value: { locks: new FakeLocks() },
      configurable: true,
    });
  });
  afterEach(() => {
    jest.clearAllTimers();
    jest.useRealTimers();
    restore();
    Reflect.deleteProperty(globalThis, 'navigator');
  });
  const pass = (ms: number): Promise<void> => jest.advanceTimersByTimeAsync(ms);

  it('one of a person’s windows follows the stream for the others, including those opened later', async () => {
    const first = openWindow('ada');
    await pass(0);
    first.received.value = 'what Ada has';
    first.isInterrupted.value = true;
    const second = openWindow('ada');
    await pass(60_000);
    expect([first.isFollowing, second.isFollowing]).toEqual([true, false]);
    expect([second.received.value, second.isMarkedInterrupted]).toEqual(['what Ada has', true]);
  });

  it('two people’s windows in one browser share nothing', async () => {
    const adas = openWindow('ada');
    await pass(0);
    adas.received.value = 'what Ada has';
    const bobs = openWindow('bob');
    await pass(0);
    bobs.received.value = 'what Bob has';
    await pass(60_000);
    expect([adas.isFollowing, bobs.isFollowing]).toEqual([true, true]);
    expect([adas.received.value, bobs.received.value]).toEqual(['what Ada has', 'what Bob has']);
  });

  it('another window follows the stream itself while the leading window is suspended', async () => {
    const first = openWindow('ada');
    const second = openWindow('ada');
    await pass(10_000);
    FakeChannel.suspended.add(first.channel);
    await pass(15_000);
    expect(second.isFollowing).toBe(true);
    FakeChannel.suspended.clear();
    await pass(5_000);
    expect([first.isFollowing, second.isFollowing]).toEqual([true, false]);
  });

  it('data is refreshed by the leading window or, while that is suspended, by the window that requests the refresh', async () => {
    const first = openWindow('ada');
    const second = openWindow('ada');
    await pass(10_000);
    refreshShared('topology');
    await pass(0);
    expect([first.refreshCount, second.refreshCount]).toEqual([1, 0]);
    FakeChannel.suspended.add(first.channel);
    await pass(15_000);
    refreshShared('topology');
    await pass(0);
    expect(second.refreshCount).toBe(1);
  });
});
