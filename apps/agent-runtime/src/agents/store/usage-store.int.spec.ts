import { expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { profileQueries, queriesWithoutIndex } from '@daycare/testing';
import { useFixture } from '@daycare/testing/jest';
import { startTestRuntime } from '../../test-support/test-runtime';
import { callUsage, recordCall } from '../../test-support/test-spending';
import { usageDimensions } from '../domain/usage';
import { UsageStore } from './usage-store';

const runtime = useFixture(startTestRuntime);
const november = { fromDay: '2026-11-01', toDay: '2026-11-30' };
const day = (number: number): Date => new Date(Date.UTC(2026, 10, number, 12));
const page = { groupBy: usageDimensions, after: undefined, limit: 100 };

it('usage is added up by day, user, agent, model, trust and friend, without reading entries', async () => {
  const usage = new UsageStore(runtime.mongo.db);
  const ownerUserId = createId();
  const agent = await runtime.newAgent(undefined, ownerUserId);
  const helper = await runtime.newAgent(undefined, createId(), ownerUserId);
  const stranger = await runtime.newAgent();
  await recordCall(runtime, agent, callUsage(agent), day(1));
  await recordCall(runtime, agent, callUsage(agent, { costMicros: 3 }), day(1));
  await recordCall(runtime, agent, callUsage(agent, { failedCalls: 1 }), day(2));
  await recordCall(
    runtime,
    helper,
    callUsage(helper, { trust: 'guest', friend: 'otter7' }),
    day(2),
  );
  await recordCall(runtime, helper, callUsage(helper, { model: 'openai/x' }), day(30));
  await recordCall(runtime, helper, callUsage(helper), new Date('2026-12-01T00:00:00Z'));
  await recordCall(runtime, stranger, callUsage(stranger), day(1));

  const queries = await profileQueries(runtime.mongo.db, /history|past_usage/, async () => {
    const rows = await usage.list({ ownerUserId, ...november, ...page });
    expect(rows).toHaveLength(4);
    expect(rows[0]).toEqual({
      day: '2026-11-01',
      userId: ownerUserId,
      agentId: agent.id,
      model: 'local/echo',
      trust: 'person',
      friend: '',
      calls: 2,
      failedCalls: 0,
      estimatedCalls: 0,
      inputTokens: 120,
      outputTokens: 80,
      cachedInputTokens: 0,
      costMicros: 10,
    });
    const ofHelper = { ownerUserId, userId: helper.userId, ...november };
    expect(await usage.list({ ...ofHelper, ...page, groupBy: ['trust'] })).toMatchObject([
      { day: '', userId: '', agentId: '', model: '', trust: 'guest', calls: 1 },
      { trust: 'person', calls: 1 },
    ]);
    expect(
      await usage.list({ ownerUserId, ...november, ...page, groupBy: ['friend'] }),
    ).toMatchObject([
      { friend: '', calls: 4 },
      { friend: 'otter7', calls: 1, trust: '' },
    ]);
    const ofAgent = { ownerUserId, agentId: agent.id, ...november };
    expect(await usage.list({ ...ofAgent, ...page, groupBy: [] })).toMatchObject([
      { calls: 3, failedCalls: 1, costMicros: 17 },
    ]);
    const sums = await usage.sumByAgent({ ownerUserId, ...november }, { open: [], after: 0 });
    expect(sums.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(500);
  });
  expect(queriesWithoutIndex(queries)).toEqual([]);
  expect(queries.length).toBeGreaterThan(0);
  expect(queries.map(({ docsExamined }) => docsExamined)).toEqual(queries.map(() => 0));
});

it('each page of usage continues after the last row of the previous one, whatever the rows are grouped by', async () => {
  const usage = new UsageStore(runtime.mongo.db);
  const ownerUserId = createId();
  const agents = await Promise.all([1, 2, 3].map(() => runtime.newAgent(undefined, ownerUserId)));
  for (const agent of agents)
    for (const trust of ['person', 'guest', 'outside'] as const)
      for (const date of [3, 1, 2])
        for (const friend of ['otter7', 'swift2'])
          await recordCall(runtime, agent, callUsage(agent, { trust, friend }), day(date));
  for (const groupBy of [usageDimensions, ['day', 'trust'], ['agentId'], ['friend']] as const) {
    const filter = { ownerUserId, ...november, groupBy };
    const all = await usage.list({ ...filter, after: undefined, limit: 100 });
    const read = [];
    for (let last = undefined as (typeof all)[number] | undefined; ;) {
      const rows = await usage.list({ ...filter, after: last, limit: 2 });
      read.push(...rows);
      last = rows.at(-1);
      if (rows.length < 2) break;
    }
    expect(read).toEqual(all);
  }
});

it('the sums of usage by agent omit calls that the owner’s account has yet to settle', async () => {
  const usage = new UsageStore(runtime.mongo.db);
  const agent = await runtime.newAgent();
  for (const reservation of [0, 1, 2, 3])
    await recordCall(runtime, agent, callUsage(agent, { reservation }), day(1));
  const filter = { ownerUserId: agent.userId, ...november };
  const found = await usage.sumByAgent(filter, { open: [1], after: 2 });
  expect(found).toMatchObject([{ tokens: 200, micros: 14, day: '2026-11-01' }]);
});

it('a deleted subuser’s usage still counts towards its owner’s, even when the deletion is retried', async () => {
  const usage = new UsageStore(runtime.mongo.db);
  const [ownerUserId, userId] = [createId(), createId()];
  const agents = await Promise.all(
    [1, 2].map(() => runtime.newAgent(undefined, userId, ownerUserId)),
  );
  for (const agent of agents) await recordCall(runtime, agent, callUsage(agent), day(1));
  const filter = { ownerUserId, ...november };
  const totals = () => usage.list({ ...filter, ...page, groupBy: [] });
  const before = await totals();
  await usage.archiveByUser(userId);
  await usage.archiveByUser(userId);
  await runtime.history.deleteByUser(userId);
  await usage.archiveByUser(userId);
  expect(await totals()).toEqual(before);
  expect(await usage.list({ ...filter, ...page })).toMatchObject([
    { day: '2026-11-01', userId, agentId: '', calls: 2 },
  ]);
  const sums = await usage.sumByAgent(filter, { open: [], after: 0 });
  expect(sums).toMatchObject([{ userId, tokens: 200 }]);
  await usage.archiveByUser(ownerUserId);
  expect(await totals()).toEqual([]);
});
