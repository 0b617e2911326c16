import { connectMongo, type MongoConnection } from '@daycare/mongo';
import type { ServiceName } from '@daycare/local-stack';
import type { TestStack } from '@daycare/testing';

/** The collections that services read for a view. */
const watched: Readonly<Partial<Record<ServiceName, readonly string[]>>> = {
  identity: ['users'],
  'social-graph': ['ties'],
  'agent-runtime': ['agents', 'history', 'crons', 'heartbeats'],
  topology: ['subscriptions', 'channels', 'endpoints'],
};

/** Queries that services make periodically. */
const periodic = /"shard"|"nextFireAt"|shard_|"dueAt"/;

/** Counts the queries of the services while `work` runs, by collection. */
export async function countQueries(
  stack: TestStack,
  work: () => Promise<unknown>,
): Promise<Record<string, number>> {
  const opened = await Promise.all(
    (Object.keys(watched) as ServiceName[]).map((name) => open(stack, name)),
  );
  try {
    await Promise.all(opened.map(beginCounting));
    const since = new Date();
    await work();
    await Promise.all(opened.map(({ db }) => db.command({ profile: 0 })));
    const counts = await Promise.all(opened.map((each) => readCounts(each, since)));
    return Object.fromEntries(counts.flat());
  } finally {
    await Promise.all(opened.map((each) => each.close()));
  }
}

interface Opened extends MongoConnection {
  readonly name: ServiceName;
}

async function open({ mongoUrl: url, databaseOf }: TestStack, name: ServiceName): Promise<Opened> {
  const database = databaseOf(name);
  return { name, ...(await connectMongo({ url, database, appName: 'daycare-count' })) };
}

async function beginCounting({ db }: Opened): Promise<void> {
  // The default size has no room for long lists of ids. The collection stays: a query that ends
  // after profiling was switched off is still recorded, and would create it anew with the default size.
  await db.createCollection('system.profile', { capped: true, size: 16_777_216 });
  await db.command({ profile: 2 });
}

async function readCounts({ name, db }: Opened, since: Date): Promise<[string, number][]> {
  const seen = await db
    .collection('system.profile')
    .find({ ts: { $gte: since } })
    .toArray();
  const own = seen.filter((entry) => !periodic.test(JSON.stringify(entry['command'] ?? {})));
  return (watched[name] ?? []).flatMap((collection): [string, number][] => {
    const count = own.filter(({ ns }) => String(ns).endsWith(`.${collection}`)).length;
    return count > 0 ? [[`${name} ${collection}`, count]] : [];
  });
}
