import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { atMostEvery } from './at-most-every';

describe('a function that runs at most once every 100 ms', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());
  const run = jest.fn();
  beforeEach(() => void run.mockClear());

  it('runs at once, and once more for all calls made in the meantime', () => {
    const paced = atMostEvery(100, run);
    for (let call = 0; call < 5; call += 1) paced.request();
    expect(run).toHaveBeenCalledTimes(1);
    jest.advanceTimersByTime(99);
    expect(run).toHaveBeenCalledTimes(1);
    jest.advanceTimersByTime(1);
    expect(run).toHaveBeenCalledTimes(2);
    jest.advanceTimersByTime(1_000);
    expect(run).toHaveBeenCalledTimes(2);
  });

  it('runs at once again after a pause', () => {
    const paced = atMostEvery(100, run);
    paced.request();
    jest.advanceTimersByTime(100);
    paced.request();
    expect(run).toHaveBeenCalledTimes(2);
  });

  it('respects an interval that changes', () => {
    let ms = 100;
    const paced = atMostEvery(() => ms, run);
    paced.request();
    ms = 300;
    paced.request();
    jest.advanceTimersByTime(299);
    expect(run).toHaveBeenCalledTimes(1);
    jest.advanceTimersByTime(1);
    expect(run).toHaveBeenCalledTimes(2);
  });

  it('does not run after it is cancelled', () => {
    const paced = atMostEvery(100, run);
    paced.request();
    paced.request();
    paced.cancel();
    jest.advanceTimersByTime(1_000);
    expect(run).toHaveBeenCalledTimes(1);
  });
});
