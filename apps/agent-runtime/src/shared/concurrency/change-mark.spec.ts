import { expect, it } from '@jest/globals';
import { ChangeMark } from './change-mark';

/** A poller, and the arguments that each of its polls received. */
function start() {
  let nowMs = 0;
  let newest = 1;
  const polls: [mark: number, quietMs: number][] = [];
  const mark = new ChangeMark<number>(
    (one, other) => one === other,
    () => nowMs,
  );
  const poll = (durationMs = 0): Promise<void> =>
    mark.poll(
      async () => newest,
      async (known, quietMs) => {
        polls.push([known, quietMs]);
        nowMs += durationMs;
        return newest;
      },
    );
  return {
    ...{ poll, polls },
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

it('a newer change restarts the quiet time at the end of the poll that saw it', async () => {
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

it('a poll that fails leaves the mark unset, so the next poll begins again', async () => {
  const mark = new ChangeMark<number>((one, other) => one === other);
  const fail = async (): Promise<never> => {
    throw new Error('no database');
  };
  await expect(mark.poll(fail, fail)).rejects.toThrow('no database');
  const begun: string[] = [];
  await mark.poll(async () => begun.push('begin'), fail);
  expect(begun).toEqual(['begin']);
});
