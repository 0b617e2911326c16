import os from 'node:os';
import { shardCollections, type ShardingStep } from '@daycare/mongo';
import { MongoClient } from 'mongodb';
import { readCollections } from './read-collections';
import type { ServiceName } from './service-catalog';

/** A service's database, and the bundle that describes its collections. */
export interface ServiceDatabase {
  readonly service: ServiceName;
  readonly database: string;
  readonly bundle: string;
}

/** Shards services' databases on a sharded cluster; calling it again is safe. */
export async function shardDatabases(
  adminUrl: string,
  databases: readonly ServiceDatabase[],
): Promise<ShardingStep[]> {
  const collectionsByDatabase = await Promise.all(
    databases.map(({ bundle }) => readCollections(bundle)),
  );
  const client = new MongoClient(adminUrl, { runtimeAdapters: { os } });
  try {
    const steps = await Promise.all(
      databases.map(({ database }, index) =>
        shardCollections(client, database, collectionsByDatabase[index] ?? []),
      ),
    );
    return steps.flat();
  } finally {
    await client.close();
  }
}
