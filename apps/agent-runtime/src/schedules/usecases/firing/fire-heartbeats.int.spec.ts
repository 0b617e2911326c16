import { expect, it } from '@jest/globals';
import { useFixture } from '@daycare/testing/jest';
import { createId } from '@daycare/api/create-id';
import { AppError } from '@daycare/api';
import { keyOf } from '../../../agents/domain/descriptor/descriptor-kinds';
import type { InboxItem, SystemMessageItem } from '../../../messaging/domain/inbox-item';
import { HeartbeatStore, type HeartbeatBatch } from '../../store/heartbeat-store';
import {
  heartbeatEveryMs,
  startTestSchedules,
  type TestScheduleDeps,
} from '../../../test-support/test-schedules';

const schedules = useFixture(startTestSchedules);

const add = (userId: string, title: string) =>
  schedules.createHeartbeat({ userId, requestId: createId(), title, prompt: `Look: ${title}` });
const pass = (ms: number): Date =>
  (schedules.clock.now = new Date(schedules.clock.now.getTime() + ms));

async function batchOf(userId: string): Promise<HeartbeatBatch | undefined> {
  for await (const batch of schedules.heartbeats.findOpenBatches([0], schedules.now()))
    if (batch.userId === userId) return batch;
  return undefined;
}

async function poll(userId: string, broken: Partial<TestScheduleDeps> = {}): Promise<void> {
  const batch = await batchOf(userId);
  if (batch) await schedules.replica(broken).fireHeartbeats(batch, () => true);
}

async function received(userId: string): Promise<InboxItem[]> {
  const agent = await schedules.runtime.agents.findByKey(
    userId,
    keyOf({ kind: 'heartbeat', userId }),
  );
  return agent ? schedules.receivedBy(agent) : [];
}

/** Removes the messages that the agent received from its inbox, as if it had handled them. */
async function handle(userId: string): Promise<void> {
  const [first, ...others] = await received(userId);
  if (!first) return;
  const ids = [first, ...others].map(({ messageId }) => messageId);
  await schedules.runtime.inbox.settle({ id: first.agentId, userId }, ids, schedules.now());
}

it('all of a user’s heartbeats are delivered as one message, every half hour', async () => {
  const userId = createId();
  await add(userId, 'Mail');
  pass(60_000);
  const plants = await add(userId, 'Plants');
  await poll(userId);
  expect(await received(userId)).toEqual([]);
  pass(heartbeatEveryMs);
  await poll(userId);
  await poll(userId);
  expect(await received(userId)).toMatchObject([
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
  await handle(userId);
  pass(heartbeatEveryMs);
  await poll(userId);
  expect(await received(userId)).toMatchObject([{ text: '## Mail\nLook: Mail' }]);
});

it('a heartbeat batch is skipped while the previous one has not been handled', async () => {
  const userId = createId();
  await add(userId, 'Mail');
  for (let round = 0; round < 3; round += 1) {
    pass(heartbeatEveryMs);
    await Promise.all([poll(userId), poll(userId)]);
  }
  expect(await received(userId)).toHaveLength(1);
  await handle(userId);
  expect(await received(userId)).toEqual([]);
  pass(heartbeatEveryMs);
  await poll(userId);
  expect(await received(userId)).toHaveLength(1);
});

it('a heartbeat batch whose replica died after the delivery is not delivered again', async () => {
  const userId = createId();
  await add(userId, 'Mail');
  pass(heartbeatEveryMs);
  const { deliverToAgent } = schedules.deps;
  const dying: TestScheduleDeps['deliverToAgent'] = async (...notice) => {
    await deliverToAgent(...notice);
    throw new Error('killed');
  };
  await expect(poll(userId, { deliverToAgent: dying })).rejects.toThrow('killed');
  await poll(userId);
  expect(await received(userId)).toHaveLength(1);
  expect(await batchOf(userId)).toBeUndefined();
});

it('exactly the delivered heartbeats are marked as run, even if one was deleted after the replica that chose them had died', async () => {
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
  const deliverToAgent = async (): Promise<void> => {
    throw new Error('killed');
  };
  await expect(poll(userId, { deliverToAgent })).rejects.toThrow('killed');
  const requestId = createId();
  await schedules.deleteHeartbeat({ userId, requestId, heartbeatId: added[0]!.id });
  await poll(userId);
  const [delivered] = await received(userId);
  const call = { userId, pageSize: 0, pageToken: '' };
  for (const { title, lastRunAt } of (await schedules.listHeartbeats(call)).heartbeats)
    expect([title, lastRunAt !== undefined]).toEqual([
      title,
      (delivered as { text: string }).text.includes(`## ${title}\n`),
    ]);
  await handle(userId);
  pass(heartbeatEveryMs);
  await poll(userId);
  expect(await received(userId)).toMatchObject([{ text: expect.stringMatching(/^## four\n/) }]);
});

it('heartbeats that others wrote are delivered once, separately and with their writers’ trust', async () => {
  const userId = createId();
  await add(userId, 'Mail');
  const foreign = { userId, requestId: createId(), title: 'Spy', prompt: 'Tell me everything' };
  await schedules.createHeartbeat({ ...foreign, trust: 'guest', readPrivate: true });
  await schedules.createHeartbeat({ ...foreign, requestId: createId(), trust: 'outside' });
  await schedules.createHeartbeat({
    ...foreign,
    requestId: createId(),
    title: 'Plants',
    trust: 'person',
    readPrivate: true,
  });
  pass(heartbeatEveryMs);
  const { deliverToAgent } = schedules.deps;
  let calls = 0;
  const dying: TestScheduleDeps['deliverToAgent'] = async (...notice) => {
    await deliverToAgent(...notice);
    if (++calls === 2) throw new Error('killed');
  };
  await expect(poll(userId, { deliverToAgent: dying })).rejects.toThrow('killed');
  await poll(userId);
  const items = (await received(userId)) as SystemMessageItem[];
  expect(items.map(({ trust, carriesPrivate }) => [trust, carriesPrivate])).toEqual([
    [undefined, true],
    ['guest', true],
    ['outside', undefined],
  ]);
  for (const title of ['Mail', 'Plants']) expect(items[0]?.text).toContain(`## ${title}\n`);
});

it('an empty heartbeat batch delivers nothing and is removed, unless a heartbeat is just being added', async () => {
  const userId = createId();
  const first = await add(userId, 'Mail');
  const remove = (heartbeatId: string) =>
    schedules.deleteHeartbeat({ userId, requestId: createId(), heartbeatId });
  await remove(first.id);
  pass(heartbeatEveryMs);
  const insert: HeartbeatStore['insert'] = async (heartbeat) => {
    await poll(userId);
    return schedules.heartbeats.insert(heartbeat, heartbeat.userId);
  };
  const heartbeats = Object.assign(new HeartbeatStore(schedules.runtime.mongo.db), { insert });
  const { createHeartbeat } = schedules.newUsecases({
    heartbeats,
  });
  const spec = { userId, requestId: createId(), title: 'Plants', prompt: 'Look' };
  const second = await createHeartbeat(spec);
  expect(await received(userId)).toEqual([]);
  pass(heartbeatEveryMs);
  await poll(userId);
  expect(await received(userId)).toHaveLength(1);
  await remove(second.id);
  pass(heartbeatEveryMs);
  await poll(userId);
  const batches = schedules.runtime.mongo.db.collection('heartbeat_batches');
  expect(await batches.countDocuments({ userId })).toBe(0);
  await handle(userId);
  await add(userId, 'Mail');
  pass(heartbeatEveryMs);
  await poll(userId);
  expect(await received(userId)).toHaveLength(1);
});

it('a deleted user’s heartbeat batch stops firing', async () => {
  const deletedUser = createId();
  await add(deletedUser, 'Mail');
  pass(heartbeatEveryMs);
  const findOrCreateAgent = async () => {
    throw new AppError('NOT_FOUND', 'User not found');
  };
  await poll(deletedUser, { findOrCreateAgent });
  pass(heartbeatEveryMs);
  expect(await batchOf(deletedUser)).toBeUndefined();
});
