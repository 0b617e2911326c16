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

/**
 * Counts the queries of the services while `work` runs, by collection. Only those that name one of `ids`, or an id that
 * starts with one, count: turns of other agents and periodic work take place at the same time.
 */
export async function countQueries(
  stack: TestStack,
  ids: readonly string[],
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
    const counts = await Promise.all(opened.map((each) => readCounts(each, ids, since)));
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
  // The default size has no room for long lists of ids. The collection stays: a query that ends after profiling
  // was switched off is still recorded, and would recreate it with the default size.
  await db.createCollection('system.profile', { capped: true, size: 16_777_216 });
  await db.command({ profile: 2 });
}

async function readCounts(
  { name, db }: Opened,
  ids: readonly string[],
  since: Date,
): Promise<[string, number][]> {
  const seen = await db
    .collection('system.profile')
    .find({ ts: { $gte: since } })
    .toArray();
  const own = seen.filter(({ command, originatingCommand }) => {
    const text = JSON.stringify([command, originatingCommand]);
    return ids.some((id) => text.includes(`"${id}`));
  });
  return (watched[name] ?? []).flatMap((collection): [string, number][] => {
    const count = own.filter(({ ns }) => String(ns).endsWith(`.${collection}`)).length;
    return count > 0 ? [[`${name} ${collection}`, count]] : [];
  });
}
