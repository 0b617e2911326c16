import { eventually } from '@daycare/testing';
import type { AgentStack, Runtime } from './agent-stack';

interface ShardRow {
  readonly _id: number;
  /** Host, process id and something random. */
  readonly holder: string;
}

/**
 * Freezes the replica that runs an agent while something is done through the other one: what reaches
 * the agent meanwhile waits in its inbox.
 */
export async function whileHeldUp<T>(
  agents: AgentStack,
  agentId: string,
  action: (other: Runtime) => Promise<T>,
): Promise<T> {
  const running = await runnerOf(agents, agentId);
  agents.replica(running).pause();
  try {
    return await action(agents.runtimes[1 - running]!);
  } finally {
    agents.replica(running).resume();
  }
}

/** The replica that runs an agent, once both have their share and nothing moves any more. */
async function runnerOf({ db, replica }: AgentStack, agentId: string): Promise<number> {
  const shards = db.collection<ShardRow>('shards');
  await eventually(
    async () => {
      const held = await shards.distinct('holder');
      const counts = await Promise.all(held.map((holder) => shards.countDocuments({ holder })));
      return counts.length === 2 && counts[0] === counts[1];
    },
    { timeoutMs: 20_000 },
  );
  const agent = await db
    .collection<{ _id: string; shard: number }>('agents')
    .findOne({ _id: agentId });
  const row = await shards.findOne({ _id: agent!.shard });
  return row!.holder.includes(`-${replica(0).pid}-`) ? 0 : 1;
}
