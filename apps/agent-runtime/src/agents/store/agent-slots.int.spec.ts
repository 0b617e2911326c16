import { describe, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { ensureIndexes } from '@daycare/mongo';
import { testDatabase } from '@daycare/testing';
import { useFixture } from '@daycare/testing/jest';
import { testAgent } from '../../test-support/test-agent';
import type { Agent } from '../domain/agent';
import type { Descriptor } from '../domain/descriptor/descriptor';
import { keyOf } from '../domain/descriptor/descriptor-kinds';
import { agentIndexes } from './agent-document';
import { AgentStore } from './agent-store';

const fixture = useFixture(async () => {
  const mongo = await testDatabase('agents');
  await ensureIndexes(mongo.db, [agentIndexes]);
  return { mongo, close: () => mongo.close() };
});
const replica = (): AgentStore => new AgentStore(fixture.mongo.db, { conversation: 5, named: 2 });

const channel = (channelId: string): Descriptor => ({
  kind: 'user',
  connector: 'cli',
  connectorUserId: 'me',
  channelId,
});
const draftOf = (
  { userId, ownerUserId }: Pick<Agent, 'userId' | 'ownerUserId'>,
  descriptor: Descriptor = channel(createId()),
): [Agent, string] => [
  testAgent({ id: createId(), userId, ownerUserId, descriptor, kind: descriptor.kind }),
  keyOf(descriptor),
];
/** Returns an owner and its subusers. */
const newFamily = (subuserCount: number) => {
  const owner = { userId: createId(), ownerUserId: undefined };
  const others = Array.from({ length: subuserCount }, () => ({
    userId: createId(),
    ownerUserId: owner.userId,
  }));
  return [owner, ...others];
};
const tooMany = { code: 'QUOTA_EXCEEDED' };

describe('limits on agents', () => {
  it('an owner with 100 subusers never exceeds the limit on foreground agents, however many are created concurrently', async () => {
    const family = newFamily(100);
    const stores = [replica(), replica(), replica()];
    const outcomes = await Promise.allSettled(
      family.map((user, index) => stores[index % 3]!.ensure(...draftOf(user))),
    );
    const created = outcomes.filter(({ status }) => status === 'fulfilled');
    expect(created).toHaveLength(5);
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject(tooMany);
    await expect(replica().ensure(...draftOf(newFamily(0)[0]!))).resolves.toMatchObject({
      created: true,
    });
  });

  it('concurrent calls for one channel get the same agent and occupy one slot', async () => {
    const [user] = newFamily(0);
    const ensured = await Promise.all(
      Array.from({ length: 20 }, () => replica().ensure(...draftOf(user!, channel('desk')))),
    );
    expect(new Set(ensured.map(({ agent }) => agent.id)).size).toBe(1);
    expect(ensured.filter(({ created }) => created)).toHaveLength(1);
    for (let more = 0; more < 4; more += 1) await replica().ensure(...draftOf(user!));
    await expect(replica().ensure(...draftOf(user!))).rejects.toMatchObject(tooMany);
    const again = await replica().ensure(...draftOf(user!, channel('desk')));
    expect(again).toEqual({ agent: ensured[0]!.agent, created: false });
  });

  it('an agent that dies frees its slot for a new agent', async () => {
    const [owner, subuser] = newFamily(1);
    const agents = await Promise.all(
      Array.from({ length: 5 }, () => replica().ensure(...draftOf(subuser!))),
    );
    await expect(replica().ensure(...draftOf(owner!))).rejects.toMatchObject(tooMany);
    await replica().kill(agents[0]!.agent, new Date());
    await replica().ensure(...draftOf(owner!));
    await expect(replica().ensure(...draftOf(owner!))).rejects.toMatchObject(tooMany);
    await replica().killByUser(subuser!.userId, new Date());
    for (let more = 0; more < 4; more += 1) await replica().ensure(...draftOf(owner!));
  });

  it('cron agents occupy no slots, and permanent agents have a separate limit', async () => {
    const [user] = newFamily(0);
    for (let count = 0; count < 7; count += 1)
      await replica().ensure(...draftOf(user!, { kind: 'cron', id: createId() }));
    for (const id of ['one', 'two'])
      await replica().ensure(
        ...draftOf(user!, { kind: 'permanent', id, name: id, description: '', systemPrompt: '' }),
      );
    const third = draftOf(user!, {
      kind: 'permanent',
      id: 'three',
      name: '',
      description: '',
      systemPrompt: '',
    });
    await expect(replica().ensure(...third)).rejects.toThrow(
      'You can have at most 2 permanent and app agents; end one first',
    );
  });
});

describe('awake background agents', () => {
  it('subusers’ awake background agents count towards their owner’s total', async () => {
    const family = newFamily(3);
    const since = new Date(Date.now() - 60_000);
    const descriptor = (id: string) =>
      ({ kind: 'subagent', id, parentAgentId: 'parent', name: '' }) as const;
    for (const user of [...family, ...newFamily(2)]) {
      const [draft, key] = draftOf(user, descriptor(createId()));
      await replica().ensure({ ...draft, lastActiveAt: new Date() }, key);
    }
    const ownerId = family[0]!.userId;
    await expect(replica().countAwakeSubagents(ownerId, since, 'none')).resolves.toBe(4);
    const later = new Date(Date.now() + 60_000);
    await expect(replica().countAwakeSubagents(ownerId, later, 'none')).resolves.toBe(0);
  });
});
