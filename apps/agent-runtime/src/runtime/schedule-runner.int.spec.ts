import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createId } from '@paralleldrive/cuid2';
import { eventually } from '@daycare/testing';
import { cronCall, startTestSchedules, type TestSchedules } from '../test-support/test-schedules';
import { ScheduleRunner, type ScheduleRunnerParts } from './schedule-runner';

let schedules: TestSchedules;
const runners: ScheduleRunner[] = [];
const nothing = (): void => undefined;
const log = { debug: nothing, info: nothing, warn: nothing, error: nothing };

beforeAll(async () => {
  schedules = await startTestSchedules();
});
afterAll(async () => {
  for (const runner of runners) await runner.stop();
  await schedules.close();
});

function start(overrides: Partial<ScheduleRunnerParts> = {}): ScheduleRunner {
  const { crons, heartbeats } = schedules;
  const replica = schedules.replica();
  const parts = { crons, heartbeats, servedShards: () => [0], pollMs: 600_000, log };
  const runner = new ScheduleRunner({ ...parts, ...replica, ...overrides });
  runners.push(runner);
  return runner;
}

const minuteLater = (): Date =>
  (schedules.clock.now = new Date(schedules.clock.now.getTime() + 60_000));

it('fires what is due of the shards that it serves, at once when it is told to look', async () => {
  const cron = await schedules.createCron(cronCall(createId()));
  const heard = async () => (await schedules.heardBy({ id: cron.agentId })).length;
  minuteLater();
  const elsewhere = start({ servedShards: () => [1, 2] });
  elsewhere.look();
  await elsewhere.stop();
  expect(await heard()).toBe(0);
  start().look();
  await eventually(async () => (await heard()) === 1);
});

it('fires the others although one of them fails, and that one when it no longer does', async () => {
  const [bad, good] = await Promise.all([
    schedules.createCron(cronCall(createId(), { once: true })),
    schedules.createCron(cronCall(createId(), { once: true })),
  ]);
  const heard = async ({ agentId }: { agentId: string }) =>
    (await schedules.heardBy({ id: agentId })).length;
  const { fireCron } = schedules.replica();
  let isBroken = true;
  const runner = start({
    pollMs: 20,
    fireCron: async (cron, mayGoOn) => {
      if (isBroken && cron.id === bad.id) throw new Error('broken');
      await fireCron(cron, mayGoOn);
    },
  });
  minuteLater();
  await eventually(async () => (await heard(good)) === 1);
  expect(await heard(bad)).toBe(0);
  isBroken = false;
  await eventually(async () => (await heard(bad)) === 1);
  await runner.stop();
  minuteLater();
  expect(await heard(good)).toBe(1);
});

it('begins nothing after it was stopped', async () => {
  const cron = await schedules.createCron(cronCall(createId(), { once: true }));
  const runner = start({ pollMs: 5 });
  await runner.stop();
  minuteLater();
  await start({ servedShards: () => [] }).stop();
  expect(await schedules.heardBy({ id: cron.agentId })).toEqual([]);
});
