import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@daycare/testing';
import {
  historyOf,
  post,
  startAgentStack,
  summaryOf,
  type AgentStack,
} from './support/agent-stack';
import { killReplicas, runStorm } from './support/agent-storm';
import type { Person } from './support/people';
import { recordFigure } from './support/record-figure';
import {
  areTaken,
  countWritten,
  isHeldBy,
  listHeld,
  whenShared,
  type HeldShard,
} from './support/shard-holders';

let agents: AgentStack;

beforeAll(async () => {
  agents = await startAgentStack({ replicas: 3 });
}, 60_000);
afterAll(async () => agents.stop());
beforeEach(async () => whenShared(agents, [0, 1, 2]), 60_000);

async function sharesOf(replica: number): Promise<HeldShard[]> {
  return (await listHeld(agents)).filter((shard) => isHeldBy(agents, replica, shard));
}

interface Known {
  readonly person: Person;
  readonly agentId: string;
}

/** Somebody whose agent lives in one of the shards. */
async function newPersonIn(shards: readonly HeldShard[]): Promise<Known> {
  for (;;) {
    const person = await agents.people.newPerson();
    const { agentId } = await agents.runtimes[0]!.postMessage(post('hello'), person.as);
    const row = await agents.db.collection('agents').findOne({ userId: person.id });
    if (shards.some(({ shard }) => shard === row?.['shard'])) return { person, agentId };
  }
}

async function hasAnswered({ person, agentId }: Known, text: string): Promise<boolean> {
  const records = await historyOf(agents.runtimes[0]!, person, agentId);
  return records.map(summaryOf).includes(`agent: You said: ${text}`);
}

describe('the shards of a replica', () => {
  it('are served by others soon after it was killed', async () => {
    const shards = await sharesOf(2);
    const known = await newPersonIn(shards);
    await eventually(() => hasAnswered(known, 'hello'));
    await agents.replica(2).kill();
    const killedMs = performance.now();
    const isServed = async (): Promise<boolean> =>
      (await areTaken(agents, [0, 1], shards)) && (await hasAnswered(known, 'are you there?'));
    try {
      const asked = agents.runtimes[0]!.postMessage(post('are you there?'), known.person.as);
      await eventually(isServed, { timeoutMs: 30_000 });
      recordFigure('shards of a killed replica served again', performance.now() - killedMs);
      await asked;
    } finally {
      await agents.replica(2).restart();
    }
  }, 60_000);

  it('are handed over at once when it is told to stop', async () => {
    const shards = await sharesOf(1);
    const toldMs = performance.now();
    agents.replica(1).signal('SIGTERM');
    try {
      const isTaken = (): Promise<boolean> => areTaken(agents, [0, 2], shards);
      await eventually(isTaken, { timeoutMs: 15_000, intervalMs: 10 });
      recordFigure('shards of a stopping replica handed over', performance.now() - toldMs);
    } finally {
      await agents.replica(1).restart();
    }
  }, 60_000);
});

describe('every message is handled once and in order', () => {
  it.each([1, 2])(
    'when replica %i freezes at work, and it writes nothing when it wakes up without its leases',
    async (frozen) => {
      const others = [0, 1, 2].filter((replica) => replica !== frozen);
      let shards: HeldShard[] = [];
      let written = 0;
      const size = { agentCount: 60, senderCount: 12, messageCount: 600, seed: frozen };
      const storm = await runStorm({
        agents,
        ...size,
        async disturb({ accepted }) {
          await eventually(() => accepted() > 60, { timeoutMs: 30_000, intervalMs: 5 });
          shards = await sharesOf(frozen);
          agents.replica(frozen).pause();
          await eventually(() => areTaken(agents, others, shards), { timeoutMs: 20_000 });
          written = await countWritten(agents, shards);
          agents.replica(frozen).resume();
        },
      });
      await eventually(async () => (await sharesOf(frozen)).length > 0);
      expect(storm.faults).toEqual([]);
      expect(storm.messages).toBe(600);
      expect(storm.takeovers).toBeGreaterThan(0);
      expect(written).toBeGreaterThan(0);
      expect(await countWritten(agents, shards)).toBe(written);
    },
    120_000,
  );

  it('while replicas are killed and started again every second', async () => {
    const size = { agentCount: 30, senderCount: 10, messageCount: 600 };
    const storm = await runStorm({ agents, ...size, disturb: killReplicas(agents, 1_000) });
    expect(storm.faults).toEqual([]);
    expect(storm.messages).toBe(600);
    expect(storm.kills).toBeGreaterThan(3);
    expect(storm.takeovers).toBeGreaterThan(0);
  }, 300_000);
});
