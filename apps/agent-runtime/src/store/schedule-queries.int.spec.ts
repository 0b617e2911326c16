import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createId } from '@paralleldrive/cuid2';
import type { Document } from 'mongodb';
import { cronCall, startTestSchedules, type TestSchedules } from '../test-support/test-schedules';

let schedules: TestSchedules;

beforeAll(async () => {
  schedules = await startTestSchedules();
});
afterAll(() => schedules.close());

const heartbeatCall = (userId: string) => ({
  userId,
  requestId: createId(),
  title: 'Mail',
  prompt: 'Look after it',
});

/** Everything that is asked of these collections, once. */
async function askEverything(userId: string): Promise<void> {
  const { crons, heartbeats, createCron, createHeartbeat, clock } = schedules;
  const [cron, heartbeat] = await Promise.all([
    createCron(cronCall(userId)),
    createHeartbeat(heartbeatCall(userId)),
  ]);
  const change = { userId, cronId: cron.id, requestId: 'r1' };
  await schedules.pauseCron({ ...change, resume: false });
  await schedules.pauseCron({ ...change, requestId: 'r2', resume: true });
  const after = { userId, createdAt: cron.createdAt, id: cron.id };
  for (const store of [crons, heartbeats]) {
    await store.list({ userIds: [userId, 'x'], after: undefined, limit: 5 });
    await store.list({ userIds: [userId, 'x'], after, limit: 5 });
    await store.count([userId, 'x']);
  }
  clock.now = new Date(clock.now.getTime() + 60 * 60_000);
  const replica = schedules.replica();
  for await (const due of crons.open([0, 1], clock.now)) await replica.fireCron(due, () => true);
  for await (const due of heartbeats.openBatches([0, 1], clock.now))
    await replica.fireHeartbeats(due, () => true);
  await crons.ticks.end(cron.id, clock.now);
  await schedules.deleteCron(change);
  await schedules.deleteHeartbeat({ userId, requestId: 'r1', heartbeatId: heartbeat.id });
  for (const store of [crons, heartbeats]) await store.deleteOfUser(userId);
}

it('every query about schedules is answered from an index, and in the order of one where it sorts', async () => {
  const { db } = schedules.runtime.mongo;
  const others = Array.from({ length: 20 }, () => createId());
  await Promise.all(others.map((userId) => schedules.createCron(cronCall(userId))));
  await Promise.all(others.map((userId) => schedules.createHeartbeat(heartbeatCall(userId))));
  await db.createCollection('system.profile', { capped: true, size: 16_777_216 });
  await db.command({ profile: 2 });
  await askEverything(createId());
  await db.command({ profile: 0 });
  const asked: Document[] = await db
    .collection('system.profile')
    .find({
      ns: /\.(crons|heartbeats|heartbeat_batches)$/,
      op: { $in: ['query', 'update', 'remove', 'command'] },
      planSummary: { $exists: true },
    })
    .toArray();
  expect(asked.length).toBeGreaterThan(20);
  const shown = asked.map(
    ({ planSummary, command }) => `${planSummary} ${JSON.stringify(command)}`,
  );
  expect(
    shown.filter((plan) => !/^(IXSCAN|IDHACK|EXPRESS_|DISTINCT_SCAN|COUNT_SCAN|QUEUED)/.test(plan)),
  ).toEqual([]);
  expect(asked.filter(({ hasSortStage }) => hasSortStage)).toEqual([]);
});
