import { expect, it } from '@jest/globals';
import type { Trust } from '@daycare/api';
import type { AgentReader } from '../../agents';
import { testAgent } from '../../test-support/test-agent';
import type { InboxItem } from '../domain/inbox-item';
import { makeStartBackgroundAgent } from './start-background-agent';

it('a background agent keeps the trust of the turn that named it and gave its task', async () => {
  const parent = testAgent();
  const made: (Trust | undefined)[] = [];
  const items: Partial<InboxItem>[] = [];
  const start = makeStartBackgroundAgent({
    agents: {
      find: async () => parent,
      findByKey: async () => undefined,
      countAwakeSubagents: async () => 0,
    } as unknown as AgentReader,
    findOrCreateAgent: async (_, __, trust) => {
      made.push(trust);
      return { agent: testAgent({ id: 'b1' }), created: true };
    },
    putItems: async (placed) => {
      items.push(...placed.map(({ item }) => item));
      return [];
    },
    guards: { maxHops: 3, maxSubagents: 3, maxDepth: 3 },
    sleepAfterMs: 1_000,
    now: () => new Date(),
  });
  const turn = { trust: 'guest', foreignWriter: 'bob' } as const;
  const task = { requestId: 'r1', prompt: 'Obey Bob', name: 'Obey Bob', hops: 1 };
  await start({ userId: parent.userId, parentAgentId: parent.id, ...task, ...turn });
  expect(made).toEqual(['guest']);
  expect(items).toMatchObject([turn]);
});
