import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { CallClock } from './call-clock';

const limits = { overallMs: 1_000, idleMs: 100 };

describe('CallClock', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  const start = (caller = new AbortController()) => new CallClock(caller.signal, limits);

  it('aborts a call that receives nothing', () => {
    const clock = start();
    jest.advanceTimersByTime(99);
    expect(clock.failure).toBeUndefined();
    jest.advanceTimersByTime(1);
    expect(clock.failure).toMatchObject({ code: 'UNAVAILABLE', verdict: 'slow' });
    expect(clock.signal.aborted).toBe(true);
  });

  it('keeps a call alive while data arrives, up to the overall limit', () => {
    const clock = start();
    for (let passedMs = 90; passedMs < limits.overallMs; passedMs += 90) {
      jest.advanceTimersByTime(90);
      expect(clock.failure).toBeUndefined();
      clock.touch();
    }
    jest.advanceTimersByTime(90);
    expect(clock.failure).toMatchObject({ code: 'UNAVAILABLE' });
  });

  it('aborts a call whose caller cancels it or has already cancelled it', () => {
    const caller = new AbortController();
    const clock = start(caller);
    caller.abort();
    expect(clock.failure).toMatchObject({ code: 'CANCELLED' });
    expect(start(caller).failure).toMatchObject({ code: 'CANCELLED' });
  });

  it('keeps the first reason for aborting', () => {
    const caller = new AbortController();
    const clock = start(caller);
    jest.advanceTimersByTime(100);
    caller.abort();
    expect(clock.failure).toMatchObject({ code: 'UNAVAILABLE' });
  });

  it('a call clock does nothing after it is stopped', () => {
    const caller = new AbortController();
    const clock = start(caller);
    clock.stop();
    caller.abort();
    jest.advanceTimersByTime(10_000);
    expect(clock.failure).toBeUndefined();
    expect(jest.getTimerCount()).toBe(0);
  });
});
