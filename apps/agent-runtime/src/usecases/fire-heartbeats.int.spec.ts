import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createId } from '@paralleldrive/cuid2';
import { AppError } from '@daycare/errors';
import { keyOf } from '../domain/descriptor-kinds';
import type { InboxItem } from '../domain/inbox-item';
import type { ScheduleParts } from '../build-schedules';
import { HeartbeatStore, type HeartbeatBatch } from '../store/heartbeat-store';
import {
  heartbeatEveryMs,
  startTestSchedules,
  type TestSchedules,
} from '../test-support/test-schedules';

let schedules: TestSchedules;

beforeAll(async () => {
  schedules = await startTestSchedules();
});
afterAll(() => schedules.close());

const add = (userId: string, title: string) =>
  schedules.createHeartbeat({ userId, requestId: createId(), title, prompt: `Look: ${title}` });
const pass = (ms: number): Date =>
  (schedules.clock.now = new Date(schedules.clock.now.getTime() + ms));

async function batchOf(userId: string): Promise<HeartbeatBatch | undefined> {
  for await (const batch of schedules.heartbeats.openBatches([0], schedules.now()))
    if (batch.userId === userId) return batch;
  return undefined;
}

async function look(userId: string, broken: Partial<ScheduleParts> = {}): Promise<void> {
  const batch = await batchOf(userId);
  if (batch) await schedules.replica(broken).fireHeartbeats(batch, () => true);
}

async function heard(userId: string): Promise<InboxItem[]> {
  const agent = await schedules.runtime.agents.findByKey(
    userId,
    keyOf({ kind: 'heartbeat', userId }),
  );
  return agent ? schedules.heardBy(agent) : [];
}

it('all heartbeats of a user are heard as one message, every half an hour', async () => {
  const userId = createId();
  await add(userId, 'Mail');
  pass(60_000);
  const plants = await add(userId, 'Plants');
  await look(userId);
  expect(await heard(userId)).toEqual([]);
  pass(heartbeatEveryMs);
  await look(userId);
  await look(userId);
  expect(await heard(userId)).toMatchObject([
    {
      kind: 'system_message',
      origin: 'heartbeat',
      text: '## Mail\nLook: Mail\n\n## Plants\nLook: Plants',
    },
  ]);
  const { heartbeats } = await schedules.listHeartbeats({ userId, pageSize: 0, pageToken: '' });
  expect(heartbeats.every(({ lastRunAt }) => lastRunAt !== undefined)).toBe(true);
  const request = { userId, requestId: createId(), heartbeatId: plants.id };
  await schedules.deleteHeartbeat(request);
  pass(heartbeatEveryMs);
  await look(userId);
  expect((await heard(userId))[1]).toMatchObject({ text: '## Mail\nLook: Mail' });
});

it('a batch whose replica died after it was heard is not heard again', async () => {
  const userId = createId();
  await add(userId, 'Mail');
  pass(heartbeatEveryMs);
  const { tellAgent } = schedules.parts;
  const dying: ScheduleParts['tellAgent'] = async (...news) => {
    await tellAgent(...news);
    throw new Error('killed');
  };
  await expect(look(userId, { tellAgent: dying })).rejects.toThrow('killed');
  await look(userId);
  expect(await heard(userId)).toHaveLength(1);
  expect(await batchOf(userId)).toBeUndefined();
});

it('what was told is what was run, although the replica died in between and others were added', async () => {
  const userId = createId();
  const prompt = 'p'.repeat(30_000);
  const addLong = (title: string) =>
    schedules.createHeartbeat({ userId, requestId: createId(), title, prompt });
  const added = [];
  for (const title of ['one', 'two', 'three', 'four']) {
    added.push(await addLong(title));
    pass(1);
  }
  pass(heartbeatEveryMs);
  const markRun = async (): Promise<void> => {
    throw new Error('killed');
  };
  const heartbeats = Object.assign(new HeartbeatStore(schedules.runtime.mongo.db), { markRun });
  const stores = { ...schedules.parts.stores, heartbeats };
  await expect(look(userId, { stores })).rejects.toThrow('killed');
  const requestId = createId();
  await schedules.deleteHeartbeat({ userId, requestId, heartbeatId: added[0]!.id });
  await look(userId);
  const [told] = await heard(userId);
  const call = { userId, pageSize: 0, pageToken: '' };
  for (const { title, lastRunAt } of (await schedules.listHeartbeats(call)).heartbeats)
    expect([title, lastRunAt !== undefined]).toEqual([
      title,
      (told as { text: string }).text.includes(`## ${title}\n`),
    ]);
  pass(heartbeatEveryMs);
  await look(userId);
  expect((await heard(userId))[1]).toMatchObject({ text: expect.stringMatching(/^## four\n/) });
});

it('a batch of nothing tells nobody and ends, unless a heartbeat is just being added', async () => {
  const userId = createId();
  const first = await add(userId, 'Mail');
  const remove = (heartbeatId: string) =>
    schedules.deleteHeartbeat({ userId, requestId: createId(), heartbeatId });
  await remove(first.id);
  pass(heartbeatEveryMs);
  const insert: HeartbeatStore['insert'] = async (heartbeat) => {
    await look(userId);
    return schedules.heartbeats.insert(heartbeat);
  };
  const heartbeats = Object.assign(new HeartbeatStore(schedules.runtime.mongo.db), { insert });
  const { createHeartbeat } = schedules.calls({
    stores: { ...schedules.parts.stores, heartbeats },
  });
  const said = { userId, requestId: createId(), title: 'Plants', prompt: 'Look' };
  const second = await createHeartbeat(said);
  expect(await heard(userId)).toEqual([]);
  pass(heartbeatEveryMs);
  await look(userId);
  expect(await heard(userId)).toHaveLength(1);
  await remove(second.id);
  pass(heartbeatEveryMs);
  await look(userId);
  const batches = schedules.runtime.mongo.db.collection('heartbeat_batches');
  expect(await batches.countDocuments({ userId })).toBe(0);
  await add(userId, 'Mail');
  pass(heartbeatEveryMs);
  await look(userId);
  expect(await heard(userId)).toHaveLength(2);
});

it('a batch of a user who is gone ends', async () => {
  const gone = createId();
  await add(gone, 'Mail');
  pass(heartbeatEveryMs);
  const findOrMakeAgent = async () => {
    throw new AppError('NOT_FOUND', 'user not found');
  };
  await look(gone, { findOrMakeAgent });
  pass(heartbeatEveryMs);
  expect(await batchOf(gone)).toBeUndefined();
});
