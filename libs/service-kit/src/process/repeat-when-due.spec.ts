import { expect, it } from '@jest/globals';
import { pino } from 'pino';
import { eventually } from '@daycare/testing';
import { repeatWhenDue } from './repeat-when-due';
import { StopSequence } from './stop-sequence';

const log = pino({ enabled: false });
const never = 600_000;

/** Repeats a task whose runs return these waits in turn, or throw where the list has an error. */
function start(waits: readonly (number | Error | undefined)[], maxMs: number) {
  const stop = new StopSequence();
  const runs = { count: 0 };
  const run = async (): Promise<number | undefined> => {
    const wait = waits[runs.count++];
    if (wait instanceof Error) throw wait;
    return wait;
  };
  const wake = repeatWhenDue('do the work', maxMs, run, { log, stop });
  return { runs, wake, stop: () => stop.run(log, 1_000) };
}

it('repeatWhenDue runs a task immediately, and again after the wait that each run returns', async () => {
  const { runs, stop } = start([1, 1, never], never);
  await eventually(() => runs.count === 3);
  await stop();
  expect(runs.count).toBe(3);
});

it('repeatWhenDue runs a task again after the maximum wait if nothing is due or a run fails', async () => {
  const { runs, stop } = start([undefined, new Error('broken'), never], 5);
  await eventually(() => runs.count > 3);
  await stop();
});

it('repeatWhenDue runs a task immediately when it is woken', async () => {
  const { runs, wake, stop } = start([never, never], never);
  await eventually(() => runs.count === 1);
  wake();
  await eventually(() => runs.count === 2);
  await stop();
});
