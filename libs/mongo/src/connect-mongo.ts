import os from 'node:os';
import { MongoClient, type Db } from 'mongodb';

export interface MongoOptions {
  readonly url: string;
  /** This service's database; no other service reads it. */
  readonly database: string;
  readonly appName: string;
  /** How long a call waits for a primary before it fails with UNAVAILABLE. */
  readonly serverSelectionTimeoutMs?: number;
  readonly maxPoolSize?: number;
}

export interface MongoConnection {
  readonly client: MongoClient;
  readonly db: Db;
  /** Reports whether the driver currently knows a server that accepts writes. */
  hasPrimary(): boolean;
  /** Rejects unless the primary responds. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/**
 * How often the driver checks its pool for connections to close or to open in advance. Unless the operator's URL sets a
 * minimum size or a maximum idle time, there are none, so the default of ten checks a second would only cost CPU time.
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
    // Passed in because the driver would load `os` with import(), which Jest does not support.
    runtimeAdapters: { os },
    ...unlessInUrl(options.url, {
      serverSelectionTimeoutMS: options.serverSelectionTimeoutMs ?? 10_000,
      maxPoolSize: options.maxPoolSize ?? 50,
    }),
  });
  // The constructor does not accept this setting.
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

/** Returns the defaults that the operator's URL does not override. */
function unlessInUrl<T extends object>(url: string, defaults: T): Partial<T> {
  const given = new Set([...new URLSearchParams(url.split('?')[1] ?? '').keys()]);
  const remaining = Object.entries(defaults).filter(([name]) => !given.has(name));
  return Object.fromEntries(remaining) as Partial<T>;
}
