import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createId } from '@paralleldrive/cuid2';
import type { Agent } from '../domain/agent';
import { gatewayKey } from '../domain/descriptor-kinds';
import { startTestRuntime, type TestRuntime } from '../test-support/test-runtime';

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await startTestRuntime();
});
afterAll(() => runtime.close());

const now = new Date();
const awakeSince = new Date(now.getTime() - 60_000);
const later = (ms: number): Date => new Date(now.getTime() + ms);

function newGateway(userId: string): Promise<Agent> {
  const words = { name: 'Helper', systemPrompt: 'Be kind. '.repeat(1_000) };
  return runtime.newAgent({ kind: 'subuser', id: userId, ...words }, userId);
}

const look = (userIds: readonly string[], since = awakeSince, includeDead = false) =>
  runtime.outlines.survey({ userIds, includeDead }, since);

describe('a survey', () => {
  it('differs when an agent comes, is renamed, falls asleep, wakes or dies, and not otherwise', async () => {
    const users = [createId(), createId(), createId()];
    const [first, second] = [await newGateway(users[0]!), await newGateway(users[1]!)];
    await newGateway(createId());
    const seen = [await look(users)];
    await runtime.agents.touch([first.id], later(1_000), true);
    await runtime.agents.grant(first, 'read');
    expect((await look(users)).digest).toBe(seen[0]?.digest);
    await newGateway(users[2]!);
    seen.push(await look(users));
    await runtime.agents.renameGateway(users[0]!, 'Cook', now);
    seen.push(await look(users));
    const tomorrow = later(86_400_000);
    seen.push(await look(users, tomorrow));
    await runtime.agents.touch([first.id], later(86_500_000));
    seen.push(await look(users, tomorrow));
    await runtime.agents.kill(second, now);
    seen.push(await look(users, tomorrow));
    expect(new Set(seen.map(({ digest }) => digest)).size).toBe(seen.length);
    expect(seen.map(({ count }) => count)).toEqual([2, 3, 3, 3, 3, 2]);
    expect((await look(users, tomorrow, true)).count).toBe(3);
  });

  it('differs when one falls asleep while another wakes', async () => {
    const users = [createId(), createId()];
    const [one, other] = [await newGateway(users[0]!), await newGateway(users[1]!)];
    await runtime.agents.touch([one.id], later(100_000));
    const before = await look(users, later(50_000));
    await runtime.agents.touch([other.id], later(200_000));
    const after = await look(users, later(150_000));
    expect(after.digest).not.toBe(before.digest);
    expect(before.firstActiveAt).toEqual(later(100_000));
    expect(after.firstActiveAt).toEqual(later(200_000));
  });

  it('differs also when agents of earlier versions wake or fall asleep, which have no mark', async () => {
    const userId = createId();
    const gateway = await newGateway(userId);
    const agents = runtime.mongo.db.collection<{ _id: string }>('agents');
    await agents.updateOne({ _id: gateway.id }, { $unset: { mark: 1 } });
    const [awake, asleep] = [await look([userId]), await look([userId], later(60_000))];
    expect(awake.count).toBe(1);
    expect(asleep.digest).not.toBe(awake.digest);
  });

  it('tells of nobody who could fall asleep when all are asleep or dead', async () => {
    const userId = createId();
    const gateway = await newGateway(userId);
    expect((await look([userId])).firstActiveAt).toEqual(gateway.lastActiveAt);
    expect((await look([userId], later(60_000))).firstActiveAt).toBeUndefined();
    await runtime.agents.kill(gateway, now);
    expect((await look([userId], awakeSince, true)).firstActiveAt).toBeUndefined();
    expect(await look([userId])).toEqual({ count: 0, digest: '', firstActiveAt: undefined });
  });

  it('reads no agent', async () => {
    const userId = createId();
    await newGateway(userId);
    const { db } = runtime.mongo;
    await db.command({ profile: 2 });
    await look([userId]);
    await look([userId], awakeSince, true);
    await db.command({ profile: 0 });
    const reads = { 'command.pipeline.0.$match.userId.$in': userId };
    const recorded = await db.collection('system.profile').find(reads).toArray();
    expect(recorded.map(({ keysExamined }) => keysExamined)).toEqual([1, 1]);
    expect(recorded.map(({ docsExamined }) => docsExamined)).toEqual([0, 0]);
  });
});

it('an outline has what lists show, and not what can be long', async () => {
  const userId = createId();
  const { id, createdAt, lastActiveAt } = await newGateway(userId);
  const expected = { id, userId, kind: 'subuser', label: 'Helper', createdAt, lastActiveAt };
  const listing = { userIds: [userId], includeDead: false, after: undefined, limit: 10 };
  expect(await runtime.outlines.list(listing)).toEqual([expected]);
  const wanted = [{ userId, key: gatewayKey(userId) }];
  expect(await runtime.outlines.findByKeys(wanted)).toEqual([expected]);
});
