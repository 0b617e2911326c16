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

it('tells when the next agent falls asleep, also when only its work keeps it awake', async () => {
  const { now, clock, runtime } = schedules;
  const userId = createId();
  const agent = await runtime.newAgent({ kind: 'cron', id: createId() }, userId);
  const busyAt = new Date(agent.lastActiveAt.getTime() + 50_000);
  const findBusyAt = async (ids: readonly string[]) => new Map(ids.map((id) => [id, busyAt]));
  const look = async (afterMs: number) => {
    clock.now = new Date(agent.lastActiveAt.getTime() + afterMs);
    const listScope = makeListScope({ ...schedules, history: { findBusyAt }, sleepAfterMs, now });
    const scope = { userIds: [userId], gatewayUserIds: [], includeDead: false };
    return listScope({ ...scope, pageSize: 1, pageToken: '' });
  };
  const lifecycleAfter = async (ms: number) => (await look(ms)).agents[0]?.lifecycle;
  expect((await look(20_000)).changesInMs).toBe(40_000);
  expect(await lifecycleAfter(80_000)).toBe('active');
  expect((await look(80_000)).changesInMs).toBe(30_000);
  expect(await lifecycleAfter(110_000)).toBe('sleeping');
  expect((await look(110_000)).changesInMs).toBe(0);
});
