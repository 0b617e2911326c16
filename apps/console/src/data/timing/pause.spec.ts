import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { startPause, type Pause } from './pause';

describe('a pause', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it.each([
    ['when its time is up', () => jest.advanceTimersByTime(1_000)],
    ['when it is woken', (pause: Pause) => pause.wake()],
    ['when its signal is aborted', (_: Pause, end: AbortController) => end.abort()],
  ])('ends %s and leaves no listener or timer behind', async (_, finish) => {
    const end = new AbortController();
    const pause = startPause(1_000, end.signal);
    finish(pause, end);
    await pause.ended;
    expect([getEventListeners(end.signal, 'abort').length, jest.getTimerCount()]).toEqual([0, 0]);
  });

  it('ends immediately if its signal is already aborted', async () => {
    await startPause(1_000, AbortSignal.abort()).ended;
    expect(jest.getTimerCount()).toBe(0);
  });
});
