import { describe, expect, it } from '@jest/globals';
import type { Trust } from '@daycare/api';
import type { AgentReader } from '../../../agents';
import { testAgent } from '../../../test-support/test-agent';
import { makeStartBackgroundAgent, type StartCall } from './start-background-agent';

describe('startBackgroundAgent', () => {
  /** `startAgent` starts an agent; its first message and the trust with which it was created are recorded. */
  function setUp() {
    const parent = testAgent();
    const messages = new Map<string, unknown>();
    const trusts: (Trust | undefined)[] = [];
    const start = makeStartBackgroundAgent({
      agents: {
        find: async () => parent,
        findByKey: async () => undefined,
        countAwakeSubagents: async () => 0,
      } as unknown as AgentReader,
      findOrCreateAgent: async (_, descriptor, trust) => {
        if (descriptor.kind !== 'subagent') throw new Error('not expected');
        trusts.push(trust);
        return { agent: testAgent({ id: descriptor.id, descriptor }), created: true };
      },
      placeItems: async (placed) => {
        for (const { recipients, item } of placed) messages.set(recipients[0]!.id, item);
        return [];
      },
      guards: { maxHops: 3, maxSubagents: 3, maxDepth: 3 },
      sleepAfterMs: 1_000,
      now: () => new Date(),
    });
    const call = { userId: parent.userId, parentAgentId: parent.id, requestId: 'r1', hops: 1 };
    const startAgent = async (prompt: string, name = 'Helper', turn: Partial<StartCall> = {}) =>
      (await start({ ...call, prompt, name, ...turn })).agentId;
    return { startAgent, messages, trusts };
  }

  it('starts only one agent if the same call is retried', async () => {
    const { startAgent, messages } = setUp();
    expect(await startAgent('Count the apples')).toBe(await startAgent(' Count the apples '));
    expect(messages.size).toBe(1);
  });

  it('starts another agent if a request id is reused with a different prompt or name', async () => {
    const { startAgent, messages } = setUp();
    const ids = [await startAgent('Count the apples'), await startAgent('Count the pears')];
    expect(ids.map((id) => messages.get(id))).toMatchObject([
      { text: 'Count the apples' },
      { text: 'Count the pears' },
    ]);
    expect(await startAgent('Count the pears', 'Another')).not.toBe(ids[1]);
  });

  it('gives the new agent and its first message the trust of the turn that made the call', async () => {
    const { startAgent, messages, trusts } = setUp();
    const turn = { trust: 'guest', foreignWriter: 'bob' } as const;
    await startAgent('Obey Bob', 'Obey Bob', turn);
    expect(trusts).toEqual(['guest']);
    expect([...messages.values()]).toMatchObject([turn]);
  });
});
