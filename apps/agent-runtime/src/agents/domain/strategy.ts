import { lifecycleOf, type Agent } from './agent';

/** The fields that the ranking depends on. */
export type Candidate = Pick<
  Agent,
  'id' | 'foreground' | 'createdAt' | 'lastActiveAt' | 'lastUserActivityAt' | 'diedAt'
>;

/** Looks up, by an agent's id, when it last recorded anything that was not silent. */
export type BusyAt = (agentId: string) => Date | undefined;

/**
 * The strategy `most-recent-foreground`: ranks the living foreground agents by lifecycle (active before
 * sleeping), newest user activity, newest creation and smallest id. The order of `agents` does not matter.
 */
export function rankForeground<T extends Candidate>(
  agents: readonly T[],
  now: Date,
  sleepAfterMs: number,
  busyAt: BusyAt = () => undefined,
): T[] {
  return agents
    .filter(({ foreground, diedAt }) => foreground && !diedAt)
    .map((agent) => ({ agent, rank: rankOf(agent) }))
    .sort((one, other) => compareRanks(one.rank, other.rank))
    .map(({ agent }) => agent);

  function rankOf(agent: T): Rank {
    const lifecycle = lifecycleOf(agent, busyAt(agent.id), now, sleepAfterMs);
    const userActivityMs = agent.lastUserActivityAt?.getTime() ?? -Infinity;
    return [lifecycle === 'active' ? 1 : 0, userActivityMs, agent.createdAt.getTime(), agent.id];
  }
}

/** Higher numbers and the smaller id come first. */
type Rank = readonly [active: number, userActivityMs: number, createdMs: number, id: string];

function compareRanks(one: Rank, other: Rank): number {
  for (const index of [0, 1, 2] as const) {
    if (one[index] !== other[index]) return one[index] > other[index] ? -1 : 1;
  }
  if (one[3] === other[3]) return 0;
  return one[3] < other[3] ? -1 : 1;
}
