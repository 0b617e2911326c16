import { expect, it } from '@jest/globals';
import { ChangeMark } from './change-mark';

/** A poller, and the arguments of each of its calls to `update`. */
function start() {
  let nowMs = 0;
  let newest = 1;
  const polls: [previous: number, quietMs: number][] = [];
  const mark = new ChangeMark<number>(
    (a, b) => a === b,
    () => nowMs,
  );
  const poll = (durationMs = 0): Promise<void> =>
    mark.poll(
      async () => newest,
      async (previous, quietMs) => {
        polls.push([previous, quietMs]);
        nowMs += durationMs;
        return newest;
      },
    );
  return {
    poll,
    polls,
    pass: (ms: number) => void (nowMs += ms),
    change: () => void (newest += 1),
  };
}

it('the quiet time runs from the last change of the mark to the start of the latest poll that found nothing newer', async () => {
  const { poll, polls, pass } = start();
  await poll();
  pass(300);
  await poll(50);
  pass(300);
  await poll();
  await poll();
  expect(polls).toEqual([
    [1, 0],
    [1, 300],
    [1, 650],
  ]);
});

it('a newer change restarts the quiet time at the end of the poll that found it', async () => {
  const { poll, polls, pass, change } = start();
  await poll();
  pass(300);
  await poll();
  change();
  await poll(1_000);
  pass(20);
  await poll();
  await poll();
  expect(polls.slice(1)).toEqual([
    [1, 300],
    [2, 0],
    [2, 20],
  ]);
});

it('if the first poll fails, the mark stays unset, so the next poll calls `begin` again', async () => {
  const mark = new ChangeMark<number>((a, b) => a === b);
  const fail = async (): Promise<never> => {
    throw new Error('no database');
  };
  await expect(mark.poll(fail, fail)).rejects.toThrow('no database');
  const begun: string[] = [];
  await mark.poll(async () => begun.push('begin'), fail);
  expect(begun).toEqual(['begin']);
});
