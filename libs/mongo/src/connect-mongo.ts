import os from 'node:os';
import { MongoClient, type Db } from 'mongodb';

export interface MongoOptions {
  readonly url: string;
  /** The database of this service; no other service reads it. */
  readonly database: string;
  readonly appName: string;
  /** How long a call waits for a primary before it fails as UNAVAILABLE. */
  readonly serverSelectionTimeoutMs?: number;
  readonly maxPoolSize?: number;
}

export interface MongoConnection {
  readonly client: MongoClient;
  readonly db: Db;
  /** Whether there is a server that takes writes, as far as the driver knows. */
  hasPrimary(): boolean;
  /** Throws unless the primary answers. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/**
 * The interval at which the driver looks for connections to close or to open in advance. With our options it finds
 * none: a broken connection is noticed when it is used. The default is ten times a second, even in an idle process.
 */
const poolCheckMs = 10_000;

/**
 * Connects with the guarantees that every service relies on: a write is acknowledged once a majority has
 * journaled it, and reads return only data that cannot be rolled back.
 */
export async function connectMongo(options: MongoOptions): Promise<MongoConnection> {
  const client = new MongoClient(options.url, {
    appName: options.appName,
    writeConcern: { w: 'majority', journal: true },
    readConcern: { level: 'majority' },
    readPreference: 'primary',
    retryWrites: true,
    retryReads: true,
    ignoreUndefined: true,
    // Passed in because the driver would load it with import(), which Jest does not support.
    runtimeAdapters: { os },
    ...unlessInUrl(options.url, {
      serverSelectionTimeoutMS: options.serverSelectionTimeoutMs ?? 10_000,
      maxPoolSize: options.maxPoolSize ?? 50,
    }),
  });
  // The constructor does not accept this as an option.
  Object.assign(client.options, { minPoolSizeCheckFrequencyMS: poolCheckMs });
  const hasPrimary = watchPrimary(client);
  await client.connect();
  const db = client.db(options.database);
  return {
    client,
    db,
    hasPrimary,
    async ping() {
      await db.command({ ping: 1 });
    },
    async close() {
      await client.close();
    },
  };
}

const writableTypes: readonly string[] = ['RSPrimary', 'Mongos', 'Standalone', 'LoadBalancer'];

function watchPrimary(client: MongoClient): () => boolean {
  let isFound = false;
  client.on('topologyDescriptionChanged', ({ newDescription: { servers } }) => {
    isFound = [...servers.values()].some(({ type }) => writableTypes.includes(type));
  });
  return () => isFound;
}

/** Settings in the operator's URL override our defaults. */
function unlessInUrl<T extends object>(url: string, defaults: T): Partial<T> {
  const given = new Set([...new URLSearchParams(url.split('?')[1] ?? '').keys()]);
  const kept = Object.entries(defaults).filter(([name]) => !given.has(name));
  return Object.fromEntries(kept) as Partial<T>;
}
