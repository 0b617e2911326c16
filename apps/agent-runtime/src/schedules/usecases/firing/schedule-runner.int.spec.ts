import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { eventually } from '@daycare/testing';
import {
  cronCall,
  startTestSchedules,
  type TestSchedules,
} from '../../../test-support/test-schedules';
import { ScheduleRunner, type ScheduleRunnerDeps } from './schedule-runner';

let schedules: TestSchedules;
const runners: ScheduleRunner[] = [];
const log = { warn: () => undefined };

beforeAll(async () => {
  schedules = await startTestSchedules();
});
afterAll(async () => {
  for (const runner of runners) await runner.stop();
  await schedules.close();
});

function start(overrides: Partial<ScheduleRunnerDeps> = {}): ScheduleRunner {
  const { crons, heartbeats } = schedules;
  const replica = schedules.replica();
  const deps = { crons, heartbeats, servedShards: () => [0], pollMs: 600_000, log };
  const runner = new ScheduleRunner({ ...deps, ...replica, ...overrides });
  runners.push(runner);
  return runner;
}

const passMinute = (): Date =>
  (schedules.clock.now = new Date(schedules.clock.now.getTime() + 60_000));

it('a schedule runner fires due schedules only in the shards it serves, and poll() fires them immediately', async () => {
  const cron = await schedules.createCron(cronCall(createId()));
  const received = async () => (await schedules.receivedBy({ id: cron.agentId })).length;
  passMinute();
  const elsewhere = start({ servedShards: () => [1, 2] });
  elsewhere.poll();
  await elsewhere.stop();
  expect(await received()).toBe(0);
  start().poll();
  await eventually(async () => (await received()) === 1);
});

it('a schedule that fails to fire does not block others, and fires once the cause of the failure is gone', async () => {
  const [bad, good] = await Promise.all([
    schedules.createCron(cronCall(createId(), { once: true })),
    schedules.createCron(cronCall(createId(), { once: true })),
  ]);
  const received = async ({ agentId }: { agentId: string }) =>
    (await schedules.receivedBy({ id: agentId })).length;
  const { fireCron } = schedules.replica();
  let isBroken = true;
  const runner = start({
    pollMs: 20,
    fireCron: async (cron, mayContinue) => {
      if (isBroken && cron.id === bad.id) throw new Error('broken');
      await fireCron(cron, mayContinue);
    },
  });
  passMinute();
  await eventually(async () => (await received(good)) === 1);
  expect(await received(bad)).toBe(0);
  isBroken = false;
  await eventually(async () => (await received(bad)) === 1);
  await runner.stop();
  passMinute();
  expect(await received(good)).toBe(1);
});

it('a schedule runner does not poll after it is stopped', async () => {
  const polls = { stopped: 0, other: 0 };
  const counting = (runner: keyof typeof polls) => () => {
    polls[runner] += 1;
    return [0];
  };
  await schedules.createCron(cronCall(createId(), { once: true }));
  const runner = start({ pollMs: 5, servedShards: counting('stopped') });
  await eventually(async () => polls.stopped > 0);
  await runner.stop();
  const before = polls.stopped;
  passMinute();
  const other = start({ pollMs: 5, servedShards: counting('other') });
  await eventually(async () => polls.other > 5);
  await other.stop();
  expect(polls.stopped).toBe(before);
});
