import { connectMongo, type MongoConnection } from '@daycare/mongo';
import type { ServiceName } from '@daycare/local-stack';
import type { TestStack } from '@daycare/testing';

/** The collections that each service reads for a view of the topology. */
const collectionsOf: Readonly<Partial<Record<ServiceName, readonly string[]>>> = {
  identity: ['users'],
  'social-graph': ['ties'],
  'agent-runtime': ['agents', 'history', 'crons', 'heartbeats'],
  topology: ['subscriptions', 'channels', 'endpoints'],
};

/**
 * Counts the services' queries while `work` runs, by service and collection. Counts only queries that contain one of
 * `ids`, or an id that starts with one of them, because other agents' turns and periodic work run at the same time.
 */
export async function countQueries(
  stack: TestStack,
  ids: readonly string[],
  work: () => Promise<unknown>,
): Promise<Record<string, number>> {
  const databases = await Promise.all(
    (Object.keys(collectionsOf) as ServiceName[]).map((name) => open(stack, name)),
  );
  try {
    await Promise.all(databases.map(beginCounting));
    const since = new Date();
    await work();
    await Promise.all(databases.map(({ db }) => db.command({ profile: 0 })));
    const counts = await Promise.all(databases.map((database) => readCounts(database, ids, since)));
    return Object.fromEntries(counts.flat());
  } finally {
    await Promise.all(databases.map((database) => database.close()));
  }
}

interface CountedDatabase extends MongoConnection {
  readonly name: ServiceName;
}

async function open(
  { mongoUrl: url, databaseOf }: TestStack,
  name: ServiceName,
): Promise<CountedDatabase> {
  const database = databaseOf(name);
  return { name, ...(await connectMongo({ url, database, appName: 'daycare-count' })) };
}

async function beginCounting({ db }: CountedDatabase): Promise<void> {
  // The default size is too small for long lists of ids. The collection is never dropped, because a query that ends
  // after profiling was switched off is still recorded, and would recreate it with the default size.
  await db.createCollection('system.profile', { capped: true, size: 16_777_216 });
  await db.command({ profile: 2 });
}

async function readCounts(
  { name, db }: CountedDatabase,
  ids: readonly string[],
  since: Date,
): Promise<[string, number][]> {
  const profiled = await db
    .collection('system.profile')
    .find({ ts: { $gte: since } })
    .toArray();
  const queries = profiled.filter(({ command, originatingCommand }) => {
    const text = JSON.stringify([command, originatingCommand]);
    return ids.some((id) => text.includes(`"${id}`));
  });
  return (collectionsOf[name] ?? []).flatMap((collection): [string, number][] => {
    const count = queries.filter(({ ns }) => String(ns).endsWith(`.${collection}`)).length;
    return count > 0 ? [[`${name} ${collection}`, count]] : [];
  });
}
