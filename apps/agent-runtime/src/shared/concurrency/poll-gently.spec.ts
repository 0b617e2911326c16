import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { pollGently, RarePolls } from './poll-gently';

describe('pollGently', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  /** Returns the times, within a minute, at which polls that take this long begin. */
  const startsOf = async (tookMs: number): Promise<number[]> => {
    const starts: number[] = [];
    const startedAt = Date.now();
    const stop = pollGently(async () => {
      starts.push(Date.now() - startedAt);
      if (tookMs > 0) await new Promise((resolve) => setTimeout(resolve, tookMs));
    }, 1_000);
    await jest.advanceTimersByTimeAsync(60_000);
    stop();
    return starts;
  };

  it('polls at the given interval while polls are short', async () => {
    expect((await startsOf(0)).slice(0, 3)).toEqual([1_000, 2_000, 3_000]);
  });

  it('waits nine times as long as the last poll took', async () => {
    expect((await startsOf(500)).slice(0, 3)).toEqual([1_000, 6_000, 11_000]);
  });

  it('waits ten seconds at most, however long the last poll took', async () => {
    expect(await startsOf(20_000)).toEqual([1_000, 31_000]);
  });

  it('pollGently does not poll again once it is stopped, even if it is stopped during a poll', async () => {
    let polls = 0;
    const stop = pollGently(async () => {
      polls += 1;
      stop();
    }, 1_000);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(polls).toBe(1);
  });
});

describe('RarePolls', () => {
  it('makes every poll while hints do not announce every change, and every third one while they do', () => {
    const polls = new RarePolls(3);
    const quiet = [false, false, true, true, true, true, true, true, true, false, true];
    const made = quiet.map((isQuiet) => polls.isDue(isQuiet));
    expect(made).toEqual([
      ...[true, true],
      ...[true, false, false, true, false, false, true],
      ...[true, true],
    ]);
  });

  it('makes the next poll after `makeNextDue` instead of skipping it', () => {
    const polls = new RarePolls(3);
    polls.isDue(true);
    expect(polls.isDue(true)).toBe(false);
    polls.makeNextDue();
    expect(polls.isDue(true)).toBe(true);
    expect(polls.isDue(true)).toBe(false);
  });
});
