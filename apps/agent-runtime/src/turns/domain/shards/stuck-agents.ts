import type { AgentWait } from '../../../agents';

/** The oldest item waiting for an agent. */
export interface OldestItem {
  readonly agentId: string;
  readonly shard: number;
  readonly oldestAt: Date;
}

/** How many agents are waiting in a shard, and since when the oldest of their items has waited. */
export interface ShardLoad {
  readonly waitingAgents: number;
  readonly oldestAt: Date | undefined;
}

/** An agent whose oldest item has been waiting for a long time. */
export interface StuckAgent extends OldestItem {
  readonly userId: string;
  readonly replicaId: string | undefined;
  /** What its turn is waiting for; undefined when it is not waiting. */
  readonly waitingFor: string | undefined;
}

interface ShardWithHolder {
  readonly shard: number;
  readonly replicaId: string | undefined;
}

interface WaitingAgent {
  readonly id: string;
  readonly userId: string;
  readonly waiting?: AgentWait | undefined;
}

/** Adds to each shard how many agents are waiting in it, and since when. The items must be ordered, oldest first. */
export function sumUpShards<T extends ShardWithHolder>(
  shards: readonly T[],
  items: readonly OldestItem[],
): (T & ShardLoad)[] {
  return shards.map((held) => {
    const waiting = items.filter(({ shard }) => shard === held.shard);
    return { ...held, waitingAgents: waiting.length, oldestAt: waiting[0]?.oldestAt };
  });
}

/**
 * Lists the agents that these items are waiting for, in the order of the items, with their replicas, but no
 * deleted agents.
 */
export function listStuck(
  items: readonly OldestItem[],
  shards: readonly ShardWithHolder[],
  agents: readonly WaitingAgent[],
  now: Date,
): StuckAgent[] {
  const byId = new Map(agents.map((agent) => [agent.id, agent]));
  const holders = new Map(shards.map(({ shard, replicaId }) => [shard, replicaId]));
  return items.flatMap((item) => {
    const agent = byId.get(item.agentId);
    if (!agent) return [];
    const { userId, waiting } = agent;
    const waitingFor = waiting && waiting.until > now ? waiting.for : undefined;
    return [{ ...item, userId, replicaId: holders.get(item.shard), waitingFor }];
  });
}
