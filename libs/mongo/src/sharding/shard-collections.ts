import { AppError } from '@daycare/api';
import { MongoServerError, type Document, type MongoClient } from 'mongodb';
import type { CollectionIndexes, ShardKey } from '../ensure-indexes';

/** What was done to a collection. */
export interface ShardingStep {
  readonly database: string;
  readonly collection: string;
  readonly shardKey: ShardKey;
  readonly outcome: 'sharded' | 'already sharded' | 'not to be sharded';
}

type Key = Exclude<ShardKey, 'unsharded'>;

/**
 * Shards a database's collections by their declared keys, unless they are already sharded. Needs a connection to a
 * mongos with an operator's rights. Throws if a collection is sharded by a different key, or has a unique index that
 * MongoDB could not enforce.
 */
export async function shardCollections(
  client: MongoClient,
  database: string,
  declared: readonly CollectionIndexes[],
): Promise<ShardingStep[]> {
  if (!(await isShardedCluster(client)))
    throw new AppError(
      'FAILED_PRECONDITION',
      'This MongoDB server is not a mongos of a sharded cluster.',
    );
  const keys = new Map(declared.map(({ collection, shardKey }) => [collection, shardKey]));
  const currentKeys = await readShardKeys(client, database);
  const steps: ShardingStep[] = [];
  for (const [collection, shardKey] of keys) {
    const currentKey = currentKeys.get(collection);
    const outcome = await shard(client, { database, collection, shardKey }, currentKey);
    steps.push({ database, collection, shardKey, outcome });
  }
  return steps;
}

async function shard(
  client: MongoClient,
  { database, collection, shardKey }: Omit<ShardingStep, 'outcome'>,
  currentKey: Document | undefined,
): Promise<ShardingStep['outcome']> {
  if (shardKey === 'unsharded') return 'not to be sharded';
  const name = `${database}.${collection}`;
  if (!currentKey) return shardNow(client, name, shardKey);
  const [present, wanted] = [JSON.stringify(currentKey), JSON.stringify(shardKey)];
  if (present === wanted) return 'already sharded';
  throw new AppError(
    'FAILED_PRECONDITION',
    `${name} is sharded by ${present} instead of ${wanted}; change it with reshardCollection first.`,
  );
}

async function shardNow(client: MongoClient, name: string, key: Key): Promise<'sharded'> {
  const command = { shardCollection: name, key };
  try {
    await client.db('admin').command(command);
  } catch (error) {
    if (!lacksIndex(error)) throw refusal(name, key, error);
    const [database = '', ...collection] = name.split('.');
    await client.db(database).collection(collection.join('.')).createIndexes([{ key }]);
    await client.db('admin').command(command);
  }
  return 'sharded';
}

/**
 * Reports whether sharding failed because the shard key has no index, which a collection with documents needs.
 */
function lacksIndex(error: unknown): boolean {
  return error instanceof MongoServerError && error.message.startsWith('Please create an index');
}

function refusal(name: string, key: Key, cause: unknown): AppError {
  const why = cause instanceof Error ? cause.message : String(cause);
  const text = `${name} cannot be sharded by ${JSON.stringify(key)}: ${why}`;
  return new AppError('FAILED_PRECONDITION', text, {}, { cause });
}

async function readShardKeys(
  client: MongoClient,
  database: string,
): Promise<ReadonlyMap<string, Document>> {
  const found = await client
    .db('config')
    .collection<{ _id: string; key: Document; unsplittable?: boolean }>('collections')
    .find({ _id: { $gte: `${database}.`, $lt: `${database}/` }, unsplittable: { $ne: true } })
    .toArray();
  return new Map(found.map(({ _id, key }) => [_id.slice(database.length + 1), key]));
}

/** Reports whether the client is connected to a sharded cluster's router. */
async function isShardedCluster(client: MongoClient): Promise<boolean> {
  const hello = await client.db('admin').command({ hello: 1 });
  return hello['msg'] === 'isdbgrid';
}
