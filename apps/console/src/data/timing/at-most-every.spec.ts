import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { atMostEvery } from './at-most-every';

describe('atMostEvery', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());
  const run = jest.fn();
  beforeEach(() => void run.mockClear());

  it('runs immediately, and once more for all requests made during the interval', () => {
    const paced = atMostEvery(100, run);
    for (let request = 0; request < 5; request += 1) paced.request();
    expect(run).toHaveBeenCalledTimes(1);
    jest.advanceTimersByTime(99);
    expect(run).toHaveBeenCalledTimes(1);
    jest.advanceTimersByTime(1);
    expect(run).toHaveBeenCalledTimes(2);
    jest.advanceTimersByTime(1_000);
    expect(run).toHaveBeenCalledTimes(2);
  });

  it('runs immediately again once the interval has passed', () => {
    const paced = atMostEvery(100, run);
    paced.request();
    jest.advanceTimersByTime(100);
    paced.request();
    expect(run).toHaveBeenCalledTimes(2);
  });

  it('uses the interval that applies at the time of the request', () => {
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
