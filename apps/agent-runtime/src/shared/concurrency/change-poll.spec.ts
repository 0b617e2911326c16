import { expect, it } from '@jest/globals';
import { ChangePoll } from './change-poll';

/** A poll of a store whose marks are consecutive numbers, on a clock that the test sets. */
function start() {
  const at = { ms: 1_000 };
  const calls: string[] = [];
  const poll = new ChangePoll<number>({
    begin: async () => (calls.push('begin'), 1),
    update: async (since) => (calls.push(`update ${since}`), since + 1),
    isSame: (a, b) => a === b,
    now: () => new Date(at.ms),
  });
  return { at, calls, poll };
}

it('a change poll reads the newest mark when first called, and then only the changes since the last mark', async () => {
  const { calls, poll } = start();
  for (let count = 0; count < 3; count += 1) await poll.poll();
  expect(calls).toEqual(['begin', 'update 1', 'update 2']);
});

it('concurrent callers share one poll', async () => {
  const { calls, poll } = start();
  await Promise.all([poll.poll(), poll.poll()]);
  expect(calls).toEqual(['begin']);
});

it('a change poll is outdated before the first poll, after its maximum age, and when the clock is set back', async () => {
  const { at, poll } = start();
  expect(poll.isOlderThan(500)).toBe(true);
  await poll.poll();
  expect(poll.isOlderThan(500)).toBe(false);
  at.ms += 500;
  expect(poll.isOlderThan(500)).toBe(true);
  at.ms = 0;
  expect(poll.isOlderThan(500)).toBe(true);
});
