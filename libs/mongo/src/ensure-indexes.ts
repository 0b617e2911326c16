import type { Db, IndexDescription } from 'mongodb';

/**
 * The field by which a collection's documents are spread over shards: `hashed` evenly, `1` by ranges. Unsharded
 * collections stay on one shard.
 *
 * MongoDB enforces a unique index only within each shard. So every unique index must start with the shard key, and the
 * `_id` must be random, be the shard key, or be derived from it.
 */
export type ShardKey = Readonly<Record<string, 1 | 'hashed'>> | 'unsharded';

/** The indexes of one collection, declared beside the queries that need them, and how it is sharded. */
export interface CollectionIndexes {
  readonly collection: string;
  /** Takes effect only on a sharded cluster, after an operator has applied it. */
  readonly shardKey: ShardKey;
  readonly indexes: readonly IndexDescription[];
}

/**
 * Every collection has this index, so requesting it merely creates the collection. The collection must exist in
 * advance because a transaction across shards cannot create it.
 */
const idIndex = { name: '_id_', key: { _id: 1 as const } };

/** More concurrency would only open more connections, each of which costs more than it saves. */
const concurrentRequests = 2;

/**
 * Creates missing collections and indexes; many replicas may do so concurrently. Throws if an index of the same name
 * exists with a different definition, because changing an index is a migration.
 */
export async function ensureIndexes(
  db: Db,
  declared: readonly Pick<CollectionIndexes, 'collection' | 'indexes'>[],
): Promise<void> {
  const queue = [...indexesByCollection(declared)];
  const drain = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const [collection, indexes] = next;
      await db.collection(collection).createIndexes(indexes.length > 0 ? indexes : [idIndex]);
    }
  };
  await Promise.all(Array.from({ length: concurrentRequests }, drain));
}

/**
 * Merges declarations of the same collection into one request: when two requests create the same collection, MongoDB
 * 8.2 may confirm both but skip the indexes of one.
 */
function indexesByCollection(
  declared: readonly Pick<CollectionIndexes, 'collection' | 'indexes'>[],
): ReadonlyMap<string, IndexDescription[]> {
  const all = new Map<string, IndexDescription[]>();
  for (const { collection, indexes } of declared)
    all.set(collection, [...(all.get(collection) ?? []), ...indexes]);
  return all;
}
