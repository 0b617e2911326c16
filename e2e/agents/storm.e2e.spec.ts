import { beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@daycare/testing';
import { historyOf, post, summaryOf } from '../support/people/history';
import { agentServices } from '../support/stack/stack';
import { useStack } from '../support/stack/use-stack';
import { killReplicas, runStorm } from '../support/load/message-storm';
import type { Person } from '../support/people/people';
import { recordFigure } from '../support/stack/record-figure';
import {
  areTakenOver,
  countEntriesWritten,
  isHeldBy,
  listHeldShards,
  whenShardsShared,
  type HeldShard,
} from '../support/chaos/shard-holders';

const stack = useStack({ services: agentServices, replicas: { 'agent-runtime': 3 } });
const { people, runtime } = stack;

beforeEach(async () => whenShardsShared(stack, [0, 1, 2]), 60_000);

async function shardsOf(replica: number): Promise<HeldShard[]> {
  return (await listHeldShards(stack)).filter((shard) => isHeldBy(stack, replica, shard));
}

interface PersonWithAgent {
  readonly person: Person;
  readonly agentId: string;
}

/** Creates people until one has an agent in one of the shards; resolves with that person. */
async function newPersonIn(shards: readonly HeldShard[]): Promise<PersonWithAgent> {
  for (;;) {
    const person = await people.newPerson();
    const { agentId } = await runtime.postMessage(post('hello'), person.as);
    const row = await stack.db('agent-runtime').collection('agents').findOne({ userId: person.id });
    if (shards.some(({ shard }) => shard === row?.['shard'])) return { person, agentId };
  }
}

async function hasAnswered({ person, agentId }: PersonWithAgent, text: string): Promise<boolean> {
  const records = await historyOf(runtime, person, agentId);
  return records.map(summaryOf).includes(`agent: You said: ${text}`);
}

describe('a replica’s shards', () => {
  it('a killed replica’s shards are taken over by the other replicas, which answer messages to their agents', async () => {
    const shards = await shardsOf(2);
    const owner = await newPersonIn(shards);
    await eventually(() => hasAnswered(owner, 'hello'));
    await stack.service('agent-runtime', 2).kill();
    const killedMs = performance.now();
    const isServed = async (): Promise<boolean> =>
      (await areTakenOver(stack, [0, 1], shards)) && (await hasAnswered(owner, 'are you there?'));
    try {
      const posting = runtime.postMessage(post('are you there?'), owner.person.as);
      await eventually(isServed, { timeoutMs: 30_000 });
      recordFigure('shards of a killed replica served again', performance.now() - killedMs);
      await posting;
    } finally {
      await stack.service('agent-runtime', 2).restart();
    }
  });

  it('a stopping replica’s shards are taken over by the other replicas', async () => {
    const shards = await shardsOf(1);
    const signalledMs = performance.now();
    stack.service('agent-runtime', 1).signal('SIGTERM');
    try {
      const isTaken = (): Promise<boolean> => areTakenOver(stack, [0, 2], shards);
      await eventually(isTaken, { intervalMs: 10 });
      recordFigure('shards of a stopping replica handed over', performance.now() - signalledMs);
    } finally {
      await stack.service('agent-runtime', 1).restart();
    }
  });
});

describe('a storm of messages', () => {
  it.each([1, 2])(
    'every message is handled once and in order when replica %i freezes, and the replica writes nothing more under the leases it has lost',
    async (frozen) => {
      const otherReplicas = [0, 1, 2].filter((replica) => replica !== frozen);
      let shards: HeldShard[] = [];
      let entriesWritten = 0;
      const size = { agentCount: 60, senderCount: 12, messageCount: 600, seed: frozen };
      const storm = await runStorm({
        stack,
        ...size,
        async disturb({ accepted }) {
          await eventually(() => accepted() > 60, { timeoutMs: 30_000, intervalMs: 5 });
          shards = await shardsOf(frozen);
          stack.service('agent-runtime', frozen).pause();
          await eventually(() => areTakenOver(stack, otherReplicas, shards));
          entriesWritten = await countEntriesWritten(stack, shards);
          stack.service('agent-runtime', frozen).resume();
        },
      });
      await eventually(async () => (await shardsOf(frozen)).length > 0);
      expect(storm.faults).toEqual([]);
      expect(storm.messages).toBe(600);
      expect(storm.takeovers).toBeGreaterThan(0);
      expect(entriesWritten).toBeGreaterThan(0);
      expect(await countEntriesWritten(stack, shards)).toBe(entriesWritten);
    },
    120_000,
  );

  it('every message is handled once and in order while replicas are killed and restarted every second', async () => {
    const size = { agentCount: 30, senderCount: 10, messageCount: 600 };
    const storm = await runStorm({ stack, ...size, disturb: killReplicas(stack, 1_000) });
    expect(storm.faults).toEqual([]);
    expect(storm.messages).toBe(600);
    expect(storm.kills).toBeGreaterThan(3);
    expect(storm.takeovers).toBeGreaterThan(0);
  }, 300_000);
});
