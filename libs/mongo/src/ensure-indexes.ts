import type { Db, IndexDescription } from 'mongodb';

/** The indexes of one collection, declared beside the queries that need them. */
export interface CollectionIndexes {
  readonly collection: string;
  readonly indexes: readonly IndexDescription[];
}

/**
 * Creates missing indexes; many replicas may do so concurrently. An index that exists under the
 * same name with a different definition causes an error that names it: changing an index is a
 * migration.
 */
export async function ensureIndexes(db: Db, declared: readonly CollectionIndexes[]): Promise<void> {
  await Promise.all(
    declared
      .filter(({ indexes }) => indexes.length > 0)
      .map(({ collection, indexes }) => db.collection(collection).createIndexes([...indexes])),
  );
}
