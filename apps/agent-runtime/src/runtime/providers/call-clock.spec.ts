import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { CallClock } from './call-clock';

const limits = { overallMs: 1_000, idleMs: 100 };

describe('the clock of a call', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  const start = (caller = new AbortController()) => new CallClock(caller.signal, limits);

  it('ends a call when nothing comes', () => {
    const clock = start();
    jest.advanceTimersByTime(99);
    expect(clock.ending).toBeUndefined();
    jest.advanceTimersByTime(1);
    expect(clock.ending).toMatchObject({ code: 'UNAVAILABLE' });
    expect(clock.signal.aborted).toBe(true);
  });

  it('lets a call go on while something comes, but not for ever', () => {
    const clock = start();
    for (let passedMs = 90; passedMs < limits.overallMs; passedMs += 90) {
      jest.advanceTimersByTime(90);
      expect(clock.ending).toBeUndefined();
      clock.touch();
    }
    jest.advanceTimersByTime(90);
    expect(clock.ending).toMatchObject({ code: 'UNAVAILABLE' });
  });

  it('ends a call whose caller goes away, or is gone', () => {
    const caller = new AbortController();
    const clock = start(caller);
    caller.abort();
    expect(clock.ending).toMatchObject({ code: 'CANCELLED' });
    expect(start(caller).ending).toMatchObject({ code: 'CANCELLED' });
  });

  it('keeps the first reason for the end', () => {
    const caller = new AbortController();
    const clock = start(caller);
    jest.advanceTimersByTime(100);
    caller.abort();
    expect(clock.ending).toMatchObject({ code: 'UNAVAILABLE' });
  });

  it('does nothing once it is stopped', () => {
    const caller = new AbortController();
    const clock = start(caller);
    clock.stop();
    caller.abort();
    jest.advanceTimersByTime(10_000);
    expect(clock.ending).toBeUndefined();
    expect(jest.getTimerCount()).toBe(0);
  });
});
