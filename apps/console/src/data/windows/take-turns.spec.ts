import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { page } from '../../testing/fake-browser';
import { FakeLocks } from '../../testing/fake-locks';
import { takeTurns } from './take-turns';

/** Starts a stream that runs until its turn ends, and records its turns. */
function startStream(end = new AbortController()) {
  const finish = (): void => undefined;
  const stream = { turns: 0, isRunning: false, finish, end };
  const done = takeTurns(end.signal, (turn) => {
    stream.turns += 1;
    stream.isRunning = true;
    return new Promise<void>((resolve, reject) => {
      stream.finish = resolve;
      turn.addEventListener('abort', () => reject(new Error('the turn is over')));
    }).finally(() => (stream.isRunning = false));
  });
  return { stream, done };
}

describe('takeTurns', () => {
  let focused = false;
  let protocol = 'http/1.1';
  beforeEach(() => {
    jest.useFakeTimers();
    [focused, protocol] = [false, 'http/1.1'];
    Object.assign(page, { hasFocus: () => focused });
    Object.defineProperty(globalThis, 'navigator', {
      value: { locks: new FakeLocks() },
      configurable: true,
    });
    jest
      .spyOn(performance, 'getEntriesByType')
      .mockImplementation(() => [{ nextHopProtocol: protocol }] as never);
  });
  afterEach(() => {
    jest.useRealTimers();
    jest.restoreAllMocks();
    Reflect.deleteProperty(globalThis, 'navigator');
  });
  const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);

  it('two streams keep running while no other stream is waiting', async () => {
    const streams = [startStream(), startStream()].map(({ stream }) => stream);
    await pass(60_000);
    expect(streams.map(({ turns, isRunning }) => [turns, isRunning])).toEqual([
      ...[
        [1, true],
        [1, true],
      ],
    ]);
  });

  it('three streams take turns: two run at a time, and each of them runs repeatedly', async () => {
    const streams = [startStream(), startStream(), startStream()].map(({ stream }) => stream);
    for (let second = 0; second < 60; second += 1) {
      await pass(1_000);
      expect(streams.filter(({ isRunning }) => isRunning)).toHaveLength(2);
    }
    expect(Math.min(...streams.map(({ turns }) => turns))).toBeGreaterThan(5);
  });

  it('a focused window keeps its turn for longer, but not forever', async () => {
    focused = true;
    const [, , third] = [startStream(), startStream(), startStream()];
    await pass(7_000);
    expect(third.stream.turns).toBe(0);
    await pass(4_000);
    expect(third.stream.turns).toBe(1);
  });

  it('a waiting stream starts when a running stream ends before its turn is over', async () => {
    const [first, , third] = [startStream(), startStream(), startStream()];
    await pass(0);
    first.stream.finish();
    await first.done;
    await pass(0);
    expect(third.stream.isRunning).toBe(true);
  });

  it('rejects with the stream’s own error', async () => {
    const failing = takeTurns(new AbortController().signal, () => Promise.reject(new Error('no')));
    await expect(failing).rejects.toThrow('no');
  });

  it('over HTTP/2, all streams run at the same time', async () => {
    protocol = 'h2';
    const streams = Array.from({ length: 9 }, () => startStream().stream);
    await pass(0);
    expect(streams.every(({ isRunning }) => isRunning)).toBe(true);
  });
});
