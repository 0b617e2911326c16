import { expect, it } from '@jest/globals';
import { profileQueries } from '@daycare/testing';
import { useFixture } from '@daycare/testing/jest';
import { createId } from '@daycare/api/create-id';
import { cronCall, startTestSchedules } from '../../test-support/test-schedules';
import { makeListScope } from './list-scope';

const sleepAfterMs = 60_000;
const schedules = useFixture(() => startTestSchedules(new Date()));

it('a scope’s digest changes when a cron on another page is paused and when an agent wakes, falls asleep or dies, and does not depend on the page size', async () => {
  const { now, clock, runtime, pauseCron, createCron } = schedules;
  const listScope = makeListScope({ ...schedules, sleepAfterMs, now });
  const userId = createId();
  const crons = await Promise.all([1, 2, 3].map(() => createCron(cronCall(userId))));
  const digestOf = async (pageSize = 1): Promise<string> => {
    const scope = { userIds: [userId], gatewayUserIds: [], includeDead: false };
    return (await listScope({ ...scope, pageSize, pageToken: '' })).digest;
  };
  const seen = [await digestOf()];
  expect(await digestOf(0)).toBe(seen[0]);
  expect(await digestOf()).toBe(seen[0]);
  const change = { userId, cronId: crons[2]!.id, requestId: createId(), resume: false };
  await pauseCron(change);
  seen.push(await digestOf());
  clock.now = new Date(now().getTime() + 2 * sleepAfterMs);
  await runtime.agents.touch([crons[0]!.agentId], now());
  seen.push(await digestOf());
  clock.now = new Date(now().getTime() + 2 * sleepAfterMs);
  seen.push(await digestOf());
  await runtime.agents.killByUser(userId, now());
  seen.push(await digestOf());
  expect(new Set(seen).size).toBe(seen.length);
});

it('listScope reports when the next agent will fall asleep, even if only recent work keeps that agent awake', async () => {
  const { now, clock, runtime } = schedules;
  const userId = createId();
  const agent = await runtime.newAgent({ kind: 'cron', id: createId() }, userId);
  const listScope = makeListScope({ ...schedules, sleepAfterMs, now });
  const list = async (afterMs: number) => {
    clock.now = new Date(agent.lastActiveAt.getTime() + afterMs);
    const scope = { userIds: [userId], gatewayUserIds: [], includeDead: false };
    return listScope({ ...scope, pageSize: 1, pageToken: '' });
  };
  const lifecycleAfter = async (ms: number) => (await list(ms)).agents[0]?.lifecycle;
  expect((await list(20_000)).changesInMs).toBe(40_000);
  await runtime.agents.touch([agent.id], new Date(agent.lastActiveAt.getTime() + 50_000));
  expect(await lifecycleAfter(80_000)).toBe('active');
  expect((await list(80_000)).changesInMs).toBe(30_000);
  expect(await lifecycleAfter(110_000)).toBe('sleeping');
  expect((await list(110_000)).changesInMs).toBe(0);
});

it('given the scope’s current digest, listScope makes two queries and returns no lists until something changes', async () => {
  const { now, runtime, createCron } = schedules;
  const userId = createId();
  const agent = await runtime.newAgent({ kind: 'cron', id: createId() }, userId);
  await createCron(cronCall(userId));
  const listScope = makeListScope({ ...schedules, sleepAfterMs, now });
  const scope = { userIds: [userId], gatewayUserIds: [userId], includeDead: false };
  const list = (knownDigest: string) =>
    listScope({ ...scope, pageSize: 0, pageToken: '', knownDigest });
  const { digest, changesInMs, unchanged, agents } = await list('');
  expect([unchanged, agents.length > 0]).toEqual([false, true]);
  const lists = { agents: [], gateways: [], crons: [], heartbeats: [] };
  const queries = await profileQueries(runtime.mongo.db, /./, async () => {
    expect(await list(digest)).toMatchObject({ ...lists, digest, changesInMs, unchanged: true });
  });
  expect(queries).toHaveLength(2);
  await runtime.agents.kill(agent, now());
  expect((await list(digest)).unchanged).toBe(false);
});

it('a change made while listScope reads its lists changes the next digest', async () => {
  const { now, runtime } = schedules;
  const userId = createId();
  const newAgent = () => runtime.newAgent({ kind: 'cron', id: createId() }, userId);
  await newAgent();
  const scope = { userIds: [userId], gatewayUserIds: [], includeDead: false };
  const call = { ...scope, pageSize: 0, pageToken: '', knownDigest: '' };
  const { outlines } = runtime;
  const list: typeof outlines.list = async (listing) => {
    const found = await outlines.list(listing);
    await newAgent();
    return found;
  };
  const changingOutlines = {
    survey: outlines.survey.bind(outlines),
    findGateways: async () => [],
    list,
  };
  const deps = { ...schedules, sleepAfterMs, now };
  const { agents, digest } = await makeListScope({ ...deps, outlines: changingOutlines })(call);
  expect(agents).toHaveLength(1);
  const next = await makeListScope(deps)({ ...call, knownDigest: digest });
  expect([next.unchanged, next.agents.length]).toEqual([false, 2]);
});
