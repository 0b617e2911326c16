import { expect, it } from '@jest/globals';
import { useFixture } from '@daycare/testing/jest';
import { createId } from '@daycare/api/create-id';
import type { Document } from 'mongodb';
import { cronCall, startTestSchedules } from '../../test-support/test-schedules';

const schedules = useFixture(startTestSchedules);

const heartbeatCall = (userId: string) => ({
  userId,
  requestId: createId(),
  title: 'Mail',
  prompt: 'Look after it',
});

/** Runs the queries on these collections, except those that remove empty batches or fired `once` crons. */
async function runQueries(userId: string): Promise<void> {
  const { crons, heartbeats, createCron, createHeartbeat, clock } = schedules;
  const [cron, heartbeat] = await Promise.all([
    createCron(cronCall(userId)),
    createHeartbeat(heartbeatCall(userId)),
  ]);
  const change = { userId, cronId: cron.id, requestId: 'r1' };
  await schedules.pauseCron({ ...change, resume: false });
  await schedules.pauseCron({ ...change, requestId: 'r2', resume: true });
  await schedules.updateCron({ ...change, requestId: 'r3', quiet: true });
  await schedules.runCron({ ...change, requestId: 'r4' });
  await schedules.getCron({ userId, cronId: cron.id });
  const after = { userId, createdAt: cron.createdAt, id: cron.id };
  for (const store of [crons, heartbeats]) {
    await store.list({ userIds: [userId, 'x'], after: undefined, limit: 5 });
    await store.list({ userIds: [userId, 'x'], after, limit: 5 });
  }
  await schedules.surveySchedules([userId, 'x']);
  clock.now = new Date(clock.now.getTime() + 60 * 60_000);
  const replica = schedules.replica();
  for await (const due of crons.findOpen([0, 1], clock.now))
    await replica.fireCron(due, () => true);
  for await (const due of heartbeats.findOpenBatches([0, 1], clock.now))
    await replica.fireHeartbeats(due, () => true);
  const [run] = (await schedules.getCron({ userId, cronId: cron.id })).runs;
  const scheduled = { trust: 'own', readPrivate: true, hops: 0 } as const;
  for (const origin of [`cron:${cron.id}`, 'heartbeat'])
    await schedules.endRun()({
      agent: { id: cron.agentId, userId, foreground: false },
      messageIds: [run!.id],
      outcome: 'answered',
      reason: undefined,
      answer: 'Done',
      scheduled: { ...scheduled, origin },
    });
  await crons.ticks.end(cron.id, clock.now);
  await schedules.deleteCron(change);
  await schedules.deleteHeartbeat({ userId, requestId: 'r1', heartbeatId: heartbeat.id });
  for (const store of [crons, heartbeats]) await store.deleteByUser(userId);
}

it('queries for schedules use an index, including for sorting', async () => {
  const { db } = schedules.runtime.mongo;
  const others = Array.from({ length: 6 }, () => createId());
  await Promise.all(others.map((userId) => schedules.createCron(cronCall(userId))));
  await Promise.all(others.map((userId) => schedules.createHeartbeat(heartbeatCall(userId))));
  await db.createCollection('system.profile', { capped: true, size: 16_777_216 });
  await db.command({ profile: 2 });
  await runQueries(createId());
  await db.command({ profile: 0 });
  const profiled: Document[] = await db
    .collection('system.profile')
    .find({
      ns: /\.(crons|heartbeats|heartbeat_batches)$/,
      op: { $in: ['query', 'update', 'remove', 'command'] },
      planSummary: { $exists: true },
    })
    .toArray();
  expect(profiled.length).toBeGreaterThan(20);
  const shown = profiled.map(
    ({ planSummary, command }) => `${planSummary} ${JSON.stringify(command)}`,
  );
  expect(
    shown.filter((plan) => !/^(IXSCAN|IDHACK|EXPRESS_|DISTINCT_SCAN|COUNT_SCAN|QUEUED)/.test(plan)),
  ).toEqual([]);
  expect(profiled.filter(({ hasSortStage }) => hasSortStage)).toEqual([]);
});
