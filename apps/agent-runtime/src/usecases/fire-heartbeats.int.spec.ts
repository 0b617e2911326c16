import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createId } from '@paralleldrive/cuid2';
import { AppError } from '@daycare/errors';
import { keyOf } from '../domain/descriptor-kinds';
import type { InboxItem } from '../domain/inbox-item';
import type { ScheduleParts } from '../build-schedules';
import type { HeartbeatBatch } from '../store/heartbeat-store';
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

it('nobody is told of nothing, and a batch of a user who is gone ends', async () => {
  const [idle, gone] = [createId(), createId()];
  const { id: heartbeatId } = await add(idle, 'Mail');
  await schedules.deleteHeartbeat({ userId: idle, requestId: createId(), heartbeatId });
  await add(gone, 'Mail');
  pass(heartbeatEveryMs);
  await look(idle);
  expect(await heard(idle)).toEqual([]);
  const findOrMakeAgent = async () => {
    throw new AppError('NOT_FOUND', 'user not found');
  };
  await look(gone, { findOrMakeAgent });
  pass(heartbeatEveryMs);
  expect(await batchOf(gone)).toBeUndefined();
  expect(await batchOf(idle)).toBeDefined();
});
