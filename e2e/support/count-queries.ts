import { connectMongo, type MongoConnection } from '@daycare/mongo';
import type { ServiceName } from '@daycare/local-stack';
import type { TestStack } from '@daycare/testing';

/** What services read for a view; where they look by themselves all the time is left out. */
const watched: Readonly<Partial<Record<ServiceName, readonly string[]>>> = {
  identity: ['users'],
  'social-graph': ['ties'],
  'agent-runtime': ['agents', 'history', 'crons', 'heartbeats'],
  topology: ['subscriptions', 'channels', 'endpoints'],
};

/** What a service does at set times, whoever calls. */
const ofShards = /"shard"|"nextFireAt"|shard_/;

/** Counts what the services ask their databases for while some work is done, by collection. */
export async function countQueries(
  stack: TestStack,
  work: () => Promise<unknown>,
): Promise<Record<string, number>> {
  const opened = await Promise.all(
    (Object.keys(watched) as ServiceName[]).map((name) => open(stack, name)),
  );
  try {
    await Promise.all(opened.map(beginCounting));
    await work();
    await Promise.all(opened.map(({ db }) => db.command({ profile: 0 })));
    return Object.fromEntries((await Promise.all(opened.map(readCounts))).flat());
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
  // What is kept unless told otherwise has no room for long lists of ids.
  await db.createCollection('system.profile', { capped: true, size: 16_777_216 });
  await db.command({ profile: 2 });
}

async function readCounts({ name, db }: Opened): Promise<[string, number][]> {
  // The second part of a long answer is no query of its own.
  const seen = await db
    .collection('system.profile')
    .find({ op: { $ne: 'getmore' } })
    .toArray();
  await db.dropCollection('system.profile');
  const own = seen.filter((entry) => !ofShards.test(JSON.stringify(entry['command'] ?? {})));
  return (watched[name] ?? []).flatMap((collection): [string, number][] => {
    const count = own.filter(({ ns }) => String(ns).endsWith(`.${collection}`)).length;
    return count > 0 ? [[`${name} ${collection}`, count]] : [];
  });
}
