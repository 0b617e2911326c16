import type { Agent } from '../../agents';

/** Wakes agents, with one call for each of their shards. */
export function wakeByShard(
  agents: readonly Pick<Agent, 'id' | 'shard'>[],
  wake: (shard: number, agentIds: readonly string[]) => void,
): void {
  for (const shard of new Set(agents.map((agent) => agent.shard)))
    wake(
      shard,
      agents.filter((agent) => agent.shard === shard).map(({ id }) => id),
    );
}
