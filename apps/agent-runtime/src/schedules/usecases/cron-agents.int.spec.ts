import { expect, it } from '@jest/globals';
import { useFixture } from '@daycare/testing/jest';
import { createId } from '@daycare/api/create-id';
import { AppError } from '@daycare/api';
import type { Agent } from '../../agents/domain/agent';
import { maxSchedules, type Cron } from '../domain/schedule';
import { cronCall, startTestSchedules } from '../../test-support/test-schedules';
import type { CronView } from './describe-runs';

const schedules = useFixture(startTestSchedules);

const pass = (ms: number): Date =>
  (schedules.clock.now = new Date(schedules.clock.now.getTime() + ms));
const dayMs = 24 * 60 * 60_000;

/** Fires the crons that are due and removes those that fired long ago, as a replica's poll does. */
async function poll(): Promise<void> {
  const { fireCron } = schedules.replica();
  for await (const cron of schedules.crons.findOpen([0], schedules.now()))
    await fireCron(cron, () => true);
}

/** The agents created for a user's crons. */
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
const cronsOf = async (userId: string): Promise<readonly CronView[]> =>
  (await schedules.listCrons({ userId, pageSize: maxSchedules, pageToken: '' })).crons;

/** Interrupts the creation of a cron before it has an agent; returns the cron and the call that created it. */
async function createCronWithoutAgent() {
  const call = cronCall(createId());
  const findOrCreateAgent = async () => {
    throw new AppError('UNAVAILABLE', 'killed');
  };
  const creation = schedules.newUsecases({ findOrCreateAgent }).createCron(call);
  await expect(creation).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  const [cron] = await cronsOf(call.userId);
  return { call, cron: cron! };
}

it('deleting a cron ends its own agent and empties the agent’s inbox', async () => {
  const cron = await schedules.createCron(cronCall(createId()));
  pass(60_000);
  await poll();
  expect(await schedules.receivedBy({ id: cron.agentId })).toHaveLength(1);
  await remove(cron, 'r1');
  await remove(cron, 'r1');
  expect(await ownAgents(cron.userId)).toEqual([]);
  expect(await ownAgents(cron.userId, true)).toMatchObject([{ id: cron.agentId }]);
  expect(await schedules.receivedBy({ id: cron.agentId })).toEqual([]);
});

it('no notice about a dead agent is sent if its cron has been deleted as well', async () => {
  const foregroundAgent = await schedules.runtime.newAgent();
  const cron = await schedules.createCron(cronCall(foregroundAgent.userId));
  pass(60_000);
  const tick = cron.nextFireAt!;
  await schedules.crons.ticks.claim(cron.id, tick, { tick, next: undefined });
  await remove(cron);
  await schedules.replica().fireCron({ ...cron, firing: tick }, () => true);
  expect(await schedules.receivedBy(foregroundAgent)).toEqual([]);
});

it('deleting a cron does not end an agent that the cron names, whoever created the agent', async () => {
  const foregroundAgent = await schedules.runtime.newAgent();
  const { userId } = foregroundAgent;
  const own = await schedules.createCron(cronCall(userId));
  for (const agentId of [foregroundAgent.id, own.agentId])
    await remove(await schedules.createCron(cronCall(userId, { agentId })));
  for (const id of [foregroundAgent.id, own.agentId])
    expect((await schedules.runtime.agents.find(id))?.diedAt).toBeUndefined();
});

it('a user who may not delete a cron cannot end its agent', async () => {
  const cron = await schedules.createCron(cronCall(createId()));
  await expect(remove({ ...cron, userId: createId() })).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
  expect(await ownAgents(cron.userId)).toHaveLength(1);
});

it('crons refused because of the limit leave no agents behind', async () => {
  const userId = createId();
  const calls = Array.from({ length: maxSchedules + 10 }, () =>
    schedules.createCron(cronCall(userId, { schedule: '0 0 1 1 *' })),
  );
  await Promise.allSettled(calls);
  expect(await ownAgents(userId)).toHaveLength(maxSchedules);
});

it('retrying the interrupted creation of a cron creates the cron’s agent', async () => {
  const { call } = await createCronWithoutAgent();
  const retried = await schedules.createCron(call);
  expect(await ownAgents(call.userId)).toMatchObject([{ id: retried.agentId }]);
  expect(await cronsOf(call.userId)).toEqual([retried]);
});

it('a cron whose creation was interrupted gets its agent at the first tick', async () => {
  const { call } = await createCronWithoutAgent();
  pass(60_000);
  await poll();
  const [cron] = await cronsOf(call.userId);
  expect(await schedules.receivedBy({ id: cron!.agentId })).toMatchObject([{ text: call.prompt }]);
  expect(await ownAgents(call.userId)).toMatchObject([{ id: cron!.agentId }]);
});

it('a cron deleted before its agent was created leaves no agent behind, even if the call that creates the cron is still running', async () => {
  const call = cronCall(createId());
  const { findOrCreateAgent } = schedules.deps;
  const slow = schedules.newUsecases({
    findOrCreateAgent: async (...wanted) => {
      await remove((await cronsOf(call.userId))[0]!);
      return findOrCreateAgent(...wanted);
    },
  });
  await slow.createCron(call);
  expect(await cronsOf(call.userId)).toEqual([]);
  expect(await ownAgents(call.userId)).toEqual([]);
});

it('a one-time cron that has fired is listed until its slot is needed', async () => {
  const userId = createId();
  const make = (overrides: object) => schedules.createCron(cronCall(userId, overrides));
  const later = { schedule: '0 0 1 1 *' };
  const first = await make({ once: true });
  pass(60_000);
  await poll();
  const second = await make({ once: true });
  pass(60_000);
  await poll();
  for (let count = 2; count < maxSchedules; count += 1) await make(later);
  expect((await cronsOf(userId)).slice(0, 2)).toMatchObject([
    { id: first.id, nextFireAt: undefined },
    { id: second.id, nextFireAt: undefined },
  ]);
  await make(later);
  expect(await cronsOf(userId)).toHaveLength(maxSchedules);
  expect((await cronsOf(userId))[0]).toMatchObject({ id: second.id });
  expect(await schedules.receivedBy({ id: first.agentId })).toHaveLength(1);
  const outcomes = await Promise.allSettled([make(later), make(later)]);
  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
});

it('a one-time cron is removed with its agent a week after it fired', async () => {
  const cron = await schedules.createCron(cronCall(createId(), { once: true }));
  pass(60_000);
  await poll();
  pass(7 * dayMs - 60_000);
  await poll();
  expect(await cronsOf(cron.userId)).toHaveLength(1);
  expect(await ownAgents(cron.userId)).toHaveLength(1);
  pass(60_000);
  await poll();
  expect(await cronsOf(cron.userId)).toEqual([]);
  expect(await ownAgents(cron.userId)).toEqual([]);
  const { db } = schedules.runtime.mongo;
  expect(await db.collection('crons').countDocuments({ userId: cron.userId })).toBe(0);
});
