import { eventually } from '@daycare/testing';
import type { Stack } from '../stack/stack';

/** A shard with an unexpired lease. */
export interface HeldShard {
  readonly shard: number;
  readonly fence: number;
  readonly holder: string;
}

interface LeaseDocument {
  readonly fences: readonly number[];
  readonly replicas: readonly { readonly id: string; readonly shards: readonly number[] }[];
}

const shardCount = 64;

/** Lists the shards with an unexpired lease, by the database's clock. */
export async function listHeldShards({ db }: Stack): Promise<HeldShard[]> {
  const isCurrent = { $gt: ['$$this.expiresAt', '$$NOW'] };
  const replicas = { $filter: { input: '$replicas', cond: isCurrent } };
  const leases = db('agent-runtime').collection<LeaseDocument>('leases');
  const [table] = await leases.aggregate<LeaseDocument>([{ $set: { replicas } }]).toArray();
  const { fences = [], replicas: current = [] } = table ?? {};
  return current.flatMap(({ id: holder, shards }) =>
    shards.map((shard) => ({ shard, fence: fences[shard] ?? 0, holder })),
  );
}

/** Reports whether this replica's current process holds the shard. */
export function isHeldBy(stack: Stack, replica: number, { holder }: HeldShard): boolean {
  return holder.includes(`-${stack.service('agent-runtime', replica).pid}-`);
}

/** Resolves when these replicas hold all shards, each of them about its share. */
export async function whenShardsShared(stack: Stack, replicas: readonly number[]): Promise<void> {
  const minShare = Math.floor(shardCount / replicas.length) - replicas.length;
  await eventually(
    async () => {
      const held = await listHeldShards(stack);
      const shares = replicas.map((replica) =>
        held.filter((shard) => isHeldBy(stack, replica, shard)),
      );
      const sum = shares.reduce((total, { length }) => total + length, 0);
      return sum === shardCount && shares.every(({ length }) => length >= minShare);
    },
    { timeoutMs: 30_000 },
  );
}

/** Reports whether each of the shards is now held by one of these replicas under a newer lease. */
export async function areTakenOver(
  stack: Stack,
  replicas: readonly number[],
  shards: readonly HeldShard[],
): Promise<boolean> {
  const held = new Map((await listHeldShards(stack)).map((lease) => [lease.shard, lease]));
  return shards.every(({ shard, fence }) => {
    const lease = held.get(shard);
    return (
      lease && lease.fence > fence && replicas.some((replica) => isHeldBy(stack, replica, lease))
    );
  });
}

/** Counts the history entries that the holder of these leases has written under them or under earlier fences. */
export async function countEntriesWritten(
  stack: Stack,
  leases: readonly HeldShard[],
): Promise<number> {
  const fences = new Map(leases.map(({ shard, fence }) => [shard, fence]));
  const db = stack.db('agent-runtime');
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
