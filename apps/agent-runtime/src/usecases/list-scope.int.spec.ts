import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createId } from '@paralleldrive/cuid2';
import { cronCall, startTestSchedules, type TestSchedules } from '../test-support/test-schedules';
import { makeListScope } from './list-scope';

const sleepAfterMs = 60_000;
let schedules: TestSchedules;

beforeAll(async () => {
  schedules = await startTestSchedules(new Date());
});
afterAll(() => schedules.close());

it('the digest of a scope tells of changes on every page, and is not needed when there is one', async () => {
  const { now, clock, runtime, pauseCron, createCron } = schedules;
  const listScope = makeListScope({ ...schedules, sleepAfterMs, now });
  const userId = createId();
  const crons = await Promise.all([1, 2, 3].map(() => createCron(cronCall(userId))));
  const look = async (pageSize = 1): Promise<string> => {
    const scope = { userIds: [userId], gatewayUserIds: [], includeDead: false };
    return (await listScope({ ...scope, pageSize, pageToken: '' })).digest;
  };
  expect(await look(0)).toBe('');
  const seen = [await look()];
  expect(await look()).toBe(seen[0]);
  const change = { userId, cronId: crons[2]!.id, requestId: createId(), resume: false };
  await pauseCron(change);
  seen.push(await look());
  clock.now = new Date(now().getTime() + 2 * sleepAfterMs);
  await runtime.agents.touch([crons[0]!.agentId], now());
  seen.push(await look());
  clock.now = new Date(now().getTime() + 2 * sleepAfterMs);
  seen.push(await look());
  await runtime.agents.killOfUser(userId, now());
  seen.push(await look());
  expect(new Set(seen).size).toBe(seen.length);
});
