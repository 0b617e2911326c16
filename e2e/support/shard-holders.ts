import { eventually } from '@daycare/testing';
import type { AgentStack } from './agent-stack';

/** A shard while a lease on it lasts. */
export interface HeldShard {
  readonly shard: number;
  readonly fence: number;
  readonly holder: string;
}

interface ShardRow {
  readonly _id: number;
  readonly fence: number;
  readonly holder: string;
}

const shardCount = 64;

/** The shards that somebody holds at this moment, by the clock of the database. */
export async function listHeld({ db }: Pick<AgentStack, 'db'>): Promise<HeldShard[]> {
  const isCurrent = { $expr: { $gt: ['$expiresAt', '$$NOW'] } };
  const rows = await db.collection<ShardRow>('shards').find(isCurrent).toArray();
  return rows.map(({ _id: shard, fence, holder }) => ({ shard, fence, holder }));
}

/** Whether the process that runs as this replica now is the holder. */
export function isHeldBy(agents: AgentStack, replica: number, { holder }: HeldShard): boolean {
  return holder.includes(`-${agents.replica(replica).pid}-`);
}

/** Resolves when each of these replicas holds its share of the shards and nobody else holds any. */
export async function whenShared(agents: AgentStack, replicas: readonly number[]): Promise<void> {
  const least = Math.floor(shardCount / replicas.length) - replicas.length;
  await eventually(
    async () => {
      const held = await listHeld(agents);
      const shares = replicas.map((each) => held.filter((shard) => isHeldBy(agents, each, shard)));
      const sum = shares.reduce((total, { length }) => total + length, 0);
      return sum === shardCount && shares.every(({ length }) => length >= least);
    },
    { timeoutMs: 30_000 },
  );
}

/** True when every one of the shards is held by one of these replicas under a newer lease. */
export async function areTaken(
  agents: AgentStack,
  replicas: readonly number[],
  shards: readonly HeldShard[],
): Promise<boolean> {
  const held = new Map((await listHeld(agents)).map((each) => [each.shard, each]));
  return shards.every(({ shard, fence }) => {
    const now = held.get(shard);
    return now && now.fence > fence && replicas.some((each) => isHeldBy(agents, each, now));
  });
}

/** How many entries of histories were written under these leases. */
export async function countWritten(
  { db }: Pick<AgentStack, 'db'>,
  leases: readonly HeldShard[],
): Promise<number> {
  const fences = new Map(leases.map(({ shard, fence }) => [shard, fence]));
  const agents = db.collection<{ _id: string; shard: number }>('agents');
  const shards = new Map((await agents.find().toArray()).map(({ _id, shard }) => [_id, shard]));
  const holder = leases[0]?.holder;
  const entries = await db
    .collection<{ agentId: string; fence: number }>('history')
    .find({ holder }, { projection: { agentId: 1, fence: 1 } })
    .toArray();
  return entries.filter(({ agentId, fence }) => fence <= fences.get(shards.get(agentId) ?? -1)!)
    .length;
}
