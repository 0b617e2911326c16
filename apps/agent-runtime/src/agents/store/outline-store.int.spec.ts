import { describe, expect, it } from '@jest/globals';
import { profileQueries } from '@daycare/testing';
import { useFixture } from '@daycare/testing/jest';
import { createId } from '@daycare/api/create-id';
import type { Agent } from '../domain/agent';
import { startTestRuntime } from '../../test-support/test-runtime';

const runtime = useFixture(startTestRuntime);

const now = new Date();
const awakeSince = new Date(now.getTime() - 60_000);
const later = (ms: number): Date => new Date(now.getTime() + ms);

const profile = { name: 'Helper', description: '', systemPrompt: 'Be kind. '.repeat(1_000) };

function newGateway(userId: string): Promise<Agent> {
  return runtime.newAgent({ kind: 'subuser', id: userId, ...profile }, userId);
}

const survey = (userIds: readonly string[], since = awakeSince, includeDead = false) =>
  runtime.outlines.survey({ userIds, gatewayUserIds: [], includeDead }, since);

const surveyGateways = (gatewayUserIds: readonly string[], includeDead = false) =>
  runtime.outlines.survey({ userIds: [], gatewayUserIds, includeDead }, awakeSince);

describe('survey', () => {
  it('the survey changes when an agent is created or renamed, falls asleep, wakes or dies, but not when it is merely active', async () => {
    const users = [createId(), createId(), createId()];
    const [first, second] = [await newGateway(users[0]!), await newGateway(users[1]!)];
    await newGateway(createId());
    const seen = [await survey(users)];
    await runtime.agents.touch([first.id], later(1_000), true);
    expect((await survey(users)).digest).toBe(seen[0]?.digest);
    await newGateway(users[2]!);
    seen.push(await survey(users));
    await runtime.agents.renameGateway(users[0]!, 'Cook', now);
    seen.push(await survey(users));
    const tomorrow = later(86_400_000);
    seen.push(await survey(users, tomorrow));
    await runtime.agents.touch([first.id], later(86_500_000));
    seen.push(await survey(users, tomorrow));
    await runtime.agents.kill(second, now);
    seen.push(await survey(users, tomorrow));
    expect(new Set(seen.map(({ digest }) => digest)).size).toBe(seen.length);
    expect(seen.map(({ count }) => count)).toEqual([2, 3, 3, 3, 3, 2]);
    expect((await survey(users, tomorrow, true)).count).toBe(3);
  });

  it('the survey changes when one agent falls asleep while another wakes', async () => {
    const users = [createId(), createId()];
    const [first, second] = [await newGateway(users[0]!), await newGateway(users[1]!)];
    await runtime.agents.touch([first.id], later(100_000));
    const before = await survey(users, later(50_000));
    await runtime.agents.touch([second.id], later(200_000));
    const after = await survey(users, later(150_000));
    expect(after.digest).not.toBe(before.digest);
    expect(before.firstActiveAt).toEqual(later(100_000));
    expect(after.firstActiveAt).toEqual(later(200_000));
  });

  it('the survey changes when an agent starts or stops waiting, and the list shows what the agent is waiting for', async () => {
    const { id: agentId, userId } = await newGateway(createId());
    const idle = await survey([userId]);
    const waiting = { for: 'openai', until: later(60_000) };
    await runtime.agents.setWaiting({ agentId, userId }, waiting);
    const busy = await survey([userId]);
    expect(busy.digest).not.toBe(idle.digest);
    const listing = { userIds: [userId], includeDead: false, after: undefined, limit: 10 };
    expect(await runtime.outlines.list(listing)).toMatchObject([{ waiting }]);
    await runtime.agents.setWaiting({ agentId, userId }, undefined);
    expect((await survey([userId])).digest).not.toBe(busy.digest);
  });

  it('the survey changes when agents without a fingerprint wake or fall asleep', async () => {
    const userId = createId();
    const gateway = await newGateway(userId);
    const agents = runtime.mongo.db.collection<{ _id: string }>('agents');
    await agents.updateOne({ _id: gateway.id }, { $unset: { mark: 1 } });
    const [awake, asleep] = [await survey([userId]), await survey([userId], later(60_000))];
    expect(awake.count).toBe(1);
    expect(asleep.digest).not.toBe(awake.digest);
  });

  it('the survey has no `firstActiveAt` when all agents are asleep or dead', async () => {
    const userId = createId();
    const gateway = await newGateway(userId);
    expect((await survey([userId])).firstActiveAt).toEqual(gateway.lastActiveAt);
    expect((await survey([userId], later(60_000))).firstActiveAt).toBeUndefined();
    await runtime.agents.kill(gateway, now);
    expect((await survey([userId], awakeSince, true)).firstActiveAt).toBeUndefined();
    expect(await survey([userId])).toEqual(await survey([createId()]));
  });

  it('the survey’s gateway digest changes when a gateway agent is created or dies, not when it wakes or is renamed', async () => {
    const users = [createId(), createId()];
    const seen = [await surveyGateways(users)];
    const gateway = await newGateway(users[0]!);
    seen.push(await surveyGateways(users));
    await runtime.agents.touch([gateway.id], later(100_000));
    await runtime.agents.renameGateway(users[0]!, 'Cook', now);
    await runtime.newAgent({ kind: 'permanent', id: users[1]!, ...profile }, users[1]);
    // An agent whose user is not the subuser in its descriptor is not that subuser's gateway.
    await runtime.newAgent({ kind: 'subuser', id: users[1]!, ...profile }, createId());
    expect(await surveyGateways(users)).toEqual(seen[1]);
    await newGateway(users[1]!);
    seen.push(await surveyGateways(users));
    await runtime.agents.kill(gateway, now);
    seen.push(await surveyGateways(users));
    expect(new Set(seen.map(({ gatewayDigest }) => gatewayDigest)).size).toBe(seen.length);
    expect(seen.map(({ gatewayCount }) => gatewayCount)).toEqual([0, 1, 2, 1]);
    expect((await surveyGateways(users, true)).gatewayCount).toBe(2);
  });

  it('the survey takes one query that reads no agent documents', async () => {
    const userId = createId();
    await newGateway(userId);
    const scope = { userIds: [userId], gatewayUserIds: [userId, createId()] };
    const queries = await profileQueries(runtime.mongo.db, /\.agents$/, async () => {
      await runtime.outlines.survey({ ...scope, includeDead: false }, awakeSince);
      await runtime.outlines.survey({ ...scope, includeDead: true }, awakeSince);
    });
    expect(queries.map(({ docsExamined }) => docsExamined)).toEqual([0, 0]);
  });
});

it('an outline contains the fields shown in lists, but neither the prompt nor the description', async () => {
  const userId = createId();
  const { id, createdAt, lastActiveAt } = await newGateway(userId);
  const expected = { id, userId, kind: 'subuser', label: 'Helper', createdAt, lastActiveAt };
  const listing = { userIds: [userId], includeDead: false, after: undefined, limit: 10 };
  expect(await runtime.outlines.list(listing)).toEqual([expected]);
  const gateways = await runtime.outlines.findGateways([userId, createId()]);
  expect(gateways).toEqual([{ id, userId, lastActiveAt }]);
});
