import os from 'node:os';
import { MongoClient, type ClientSession, type Db, type Timestamp } from 'mongodb';
import { refusal, type CollectionPart } from './manifest';
import { writeBson } from './bson-file';

/** A service's database. */
export interface BackupDatabase {
  readonly service: string;
  readonly database: string;
}

export interface DatabasesRead {
  readonly collections: readonly CollectionPart[];
  readonly clusterTime: string;
}

/** The maximum number of documents that one read returns; MongoDB also limits each read to 16 MB. */
const batchSize = 500;
const snapshotTooOld = 239;

export function openClient(url: string): MongoClient {
  return new MongoClient(url, { appName: 'daycare-backup', runtimeAdapters: { os } });
}

/**
 * Reads all collections as they were at one point in cluster time, so that they are consistent even while the services
 * keep writing: a message is in its sender's outbox, in its recipient's inbox, or in both.
 */
export async function readDatabases(
  url: string,
  databases: readonly BackupDatabase[],
  folder: string,
): Promise<DatabasesRead> {
  const client = openClient(url);
  const session = client.startSession({ snapshot: true });
  try {
    const collections: CollectionPart[] = [];
    for (const { service, database } of databases)
      collections.push(...(await readDatabase(client.db(database), service, session, folder)));
    // The session has a snapshot time from its first read on; the driver's types do not declare it.
    const { snapshotTime } = session as unknown as { readonly snapshotTime?: Timestamp };
    const clusterTime = snapshotTime?.toBigInt().toString() ?? '';
    if (collections.length === 0)
      throw refusal('There is nothing to back up: the databases have no collections');
    return { collections, clusterTime };
  } catch (error) {
    throw explained(error);
  } finally {
    await session.endSession();
    await client.close();
  }
}

async function readDatabase(
  db: Db,
  service: string,
  session: ClientSession,
  folder: string,
): Promise<CollectionPart[]> {
  const found = await db.listCollections({ type: 'collection' }, { nameOnly: true }).toArray();
  const names = found.map(({ name }) => name).filter((name) => !name.startsWith('system.'));
  const parts: CollectionPart[] = [];
  for (const collection of names.sort()) {
    // The documents are copied as stored, because decoding would lose the difference between 1 and 1.0.
    const documents = db
      .collection(collection)
      .find<Buffer>({}, { session, raw: true, batchSize, readPreference: 'primaryPreferred' });
    const file = `databases/${service}/${encodeURIComponent(collection)}.bson.gz`;
    parts.push({ service, collection, ...(await writeBson(folder, file, documents)) });
  }
  return parts;
}

/** Returns the error itself, unless it can be replaced by one that tells the operator what to do. */
function explained(error: unknown): unknown {
  const code = (error as { readonly code?: unknown }).code;
  if (code !== snapshotTooOld) return error;
  return refusal(
    'The backup took longer than MongoDB keeps snapshots; raise minSnapshotHistoryWindowInSeconds and start again',
    error,
  );
}
