import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createId } from '@paralleldrive/cuid2';
import { AppError } from '@daycare/errors';
import type { Agent } from '../domain/agent';
import { mostSchedules, type Cron } from '../domain/schedule';
import { cronCall, startTestSchedules, type TestSchedules } from '../test-support/test-schedules';

let schedules: TestSchedules;

beforeAll(async () => {
  schedules = await startTestSchedules();
});
afterAll(() => schedules.close());

const pass = (ms: number): Date =>
  (schedules.clock.now = new Date(schedules.clock.now.getTime() + ms));
const dayMs = 24 * 60 * 60_000;

/** All that is due fires, as when a replica looks. */
async function look(): Promise<void> {
  const { fireCron } = schedules.replica();
  for await (const cron of schedules.crons.open([0], schedules.now()))
    await fireCron(cron, () => true);
}

/** The agents that crons of a user have of their own. */
const ownAgents = (userId: string, includeDead = false): Promise<Agent[]> =>
  schedules.runtime.agents.list({
    userId,
    kinds: ['cron'],
    includeDead,
    after: undefined,
    limit: 500,
  });
const remove = ({ userId, id: cronId }: Pick<Cron, 'userId' | 'id'>, requestId = createId()) =>
  schedules.deleteCron({ userId, cronId, requestId });
const cronsOf = async (userId: string): Promise<readonly Cron[]> =>
  (await schedules.listCrons({ userId, pageSize: mostSchedules, pageToken: '' })).crons;

/** A cron whose maker died when its agent was to be made, and the call that made it. */
async function halfMade() {
  const call = cronCall(createId());
  const findOrMakeAgent = async () => {
    throw new AppError('UNAVAILABLE', 'killed');
  };
  const made = schedules.calls({ findOrMakeAgent }).createCron(call);
  await expect(made).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  const [cron] = await cronsOf(call.userId);
  return { call, cron: cron! };
}

it('a cron takes its own agent with it, and nothing waits for that any more', async () => {
  const cron = await schedules.createCron(cronCall(createId()));
  pass(60_000);
  await look();
  expect(await schedules.heardBy({ id: cron.agentId })).toHaveLength(1);
  await remove(cron, 'r1');
  await remove(cron, 'r1');
  expect(await ownAgents(cron.userId)).toEqual([]);
  expect(await ownAgents(cron.userId, true)).toMatchObject([{ id: cron.agentId }]);
  expect(await schedules.heardBy({ id: cron.agentId })).toEqual([]);
});

it('nobody is told that the agent of a cron is dead which is gone itself', async () => {
  const talker = await schedules.runtime.newAgent();
  const cron = await schedules.createCron(cronCall(talker.userId));
  pass(60_000);
  const tick = cron.nextFireAt!;
  await schedules.crons.ticks.claim(cron.id, tick, { tick, next: undefined });
  await remove(cron);
  await schedules.replica().fireCron({ ...cron, firing: tick }, () => true);
  expect(await schedules.heardBy(talker)).toEqual([]);
});

it('a cron that is removed leaves an agent that was named alone, whoever made that', async () => {
  const talker = await schedules.runtime.newAgent();
  const { userId } = talker;
  const own = await schedules.createCron(cronCall(userId));
  for (const agentId of [talker.id, own.agentId])
    await remove(await schedules.createCron(cronCall(userId, { agentId })));
  for (const id of [talker.id, own.agentId])
    expect((await schedules.runtime.agents.find(id))?.diedAt).toBeUndefined();
});

it('somebody who may not remove a cron does not end its agent', async () => {
  const cron = await schedules.createCron(cronCall(createId()));
  await expect(remove({ ...cron, userId: createId() })).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
  expect(await ownAgents(cron.userId)).toHaveLength(1);
});

it('a cron that is one too many leaves no agent behind', async () => {
  const userId = createId();
  const calls = Array.from({ length: mostSchedules + 10 }, () =>
    schedules.createCron(cronCall(userId, { schedule: '0 0 1 1 *' })),
  );
  await Promise.allSettled(calls);
  expect(await ownAgents(userId)).toHaveLength(mostSchedules);
});

it('a cron whose maker died before its agent was made gets it when the call is repeated', async () => {
  const { call } = await halfMade();
  const repeated = await schedules.createCron(call);
  expect(await ownAgents(call.userId)).toMatchObject([{ id: repeated.agentId }]);
  expect(await cronsOf(call.userId)).toEqual([repeated]);
});

it('a cron whose maker died before its agent was made gets it when it fires', async () => {
  const { call } = await halfMade();
  pass(60_000);
  await look();
  const [cron] = await cronsOf(call.userId);
  expect(await schedules.heardBy({ id: cron!.agentId })).toMatchObject([{ text: call.prompt }]);
  expect(await ownAgents(call.userId)).toMatchObject([{ id: cron!.agentId }]);
});

it('a cron that is removed before its agent was made leaves none, although its maker goes on', async () => {
  const call = cronCall(createId());
  const { findOrMakeAgent } = schedules.parts;
  const slow = schedules.calls({
    findOrMakeAgent: async (...wanted) => {
      await remove((await cronsOf(call.userId))[0]!);
      return findOrMakeAgent(...wanted);
    },
  });
  await slow.createCron(call);
  expect(await cronsOf(call.userId)).toEqual([]);
  expect(await ownAgents(call.userId)).toEqual([]);
});

it('one for once that has fired is listed until its place is needed', async () => {
  const userId = createId();
  const make = (overrides: object) => schedules.createCron(cronCall(userId, overrides));
  const later = { schedule: '0 0 1 1 *' };
  const first = await make({ once: true });
  pass(60_000);
  await look();
  const second = await make({ once: true });
  pass(60_000);
  await look();
  for (let count = 2; count < mostSchedules; count += 1) await make(later);
  expect((await cronsOf(userId)).slice(0, 2)).toMatchObject([
    { id: first.id, nextFireAt: undefined },
    { id: second.id, nextFireAt: undefined },
  ]);
  await make(later);
  expect(await cronsOf(userId)).toHaveLength(mostSchedules);
  expect((await cronsOf(userId))[0]).toMatchObject({ id: second.id });
  expect(await schedules.heardBy({ id: first.agentId })).toHaveLength(1);
  const both = await Promise.allSettled([make(later), make(later)]);
  expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
});

it('one for once is removed with its agent a week after it has fired', async () => {
  const cron = await schedules.createCron(cronCall(createId(), { once: true }));
  pass(60_000);
  await look();
  pass(7 * dayMs - 60_000);
  await look();
  expect(await cronsOf(cron.userId)).toHaveLength(1);
  expect(await ownAgents(cron.userId)).toHaveLength(1);
  pass(60_000);
  await look();
  expect(await cronsOf(cron.userId)).toEqual([]);
  expect(await ownAgents(cron.userId)).toEqual([]);
  const { db } = schedules.runtime.mongo;
  expect(await db.collection('crons').countDocuments({ userId: cron.userId })).toBe(0);
});
