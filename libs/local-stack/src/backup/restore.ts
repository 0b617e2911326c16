import type { Document, MongoClient } from 'mongodb';
import { requireNoOtherKeys, restoreKeys } from './keys';
import { verifyBackup, refusal, type Manifest } from './manifest';
import { openClient } from './read-databases';
import type { BackupSource } from './backup';
import {
  formatCollection,
  requireEmptyDatabases,
  restoringId,
  writeCollection,
} from './write-databases';
import { requireEmptyFolder, writeUsers } from './write-users';

/** Where to restore a backup; the same locations as those from which a backup is made. */
export type RestoreTarget = BackupSource;

/** The minimum time for which a restored inbox remembers what it has received. */
const minRememberedMs = 24 * 60 * 60 * 1000;

/**
 * Restores a backup into an empty installation whose services are not running. Before it writes anything, checks the
 * checksums in the backup, that the target is empty, and that it has no different keys. While files and documents are written, the
 * collection `format` of each database has a document with _id `restoring`; it remains if the restoration is
 * interrupted. Services do not start on a database with this document.
 */
export async function restoreBackup(folder: string, target: RestoreTarget): Promise<Manifest> {
  const manifest = await verifyBackup(folder);
  const client = openClient(target.mongoUrl);
  try {
    await requireEmptyTarget(manifest, target, client);
    await restoreKeys(manifest.keys, target.keys, folder);
    const removeMarks = await markDatabases(client, target.databases);
    if (manifest.users && target.usersDir !== undefined)
      await writeUsers(target.usersDir, folder, manifest.users.file);
    await writeDatabases(manifest, target, client, folder);
    await removeMarks();
    return manifest;
  } finally {
    await client.close();
  }
}

async function requireEmptyTarget(
  { collections, users, keys }: Manifest,
  target: RestoreTarget,
  client: MongoClient,
): Promise<void> {
  const known = new Set(target.databases.map(({ service }) => service));
  const unknown = collections.find(({ service }) => !known.has(service));
  if (unknown)
    throw refusal(
      `The backup contains data of ${unknown.service}, a service that this version does not know`,
    );
  if (users && users.entries > 0 && target.usersDir === undefined)
    throw refusal("The backup contains users' files; say where they belong with --users-dir");
  await requireNoOtherKeys(keys, target.keys);
  if (target.usersDir !== undefined) await requireEmptyFolder(target.usersDir);
  await requireEmptyDatabases(client, target.databases);
}

/** Inserts the document `restoring` into each database; the returned function deletes it. */
async function markDatabases(
  client: MongoClient,
  databases: RestoreTarget['databases'],
): Promise<() => Promise<void>> {
  const formats = databases.map(({ database }) =>
    client.db(database).collection<{ _id: string }>(formatCollection),
  );
  const majority = { writeConcern: { w: 'majority', journal: true } } as const;
  for (const format of formats) await format.insertOne({ _id: restoringId }, majority);
  return async () => {
    for (const format of formats) await format.deleteOne({ _id: restoringId }, majority);
  };
}

async function writeDatabases(
  { collections }: Manifest,
  { databases }: RestoreTarget,
  client: MongoClient,
  folder: string,
): Promise<void> {
  for (const part of collections) {
    const database = databases.find(({ service }) => service === part.service)?.database ?? '';
    const isInbox = part.service === 'agent-runtime' && part.collection === 'inbox';
    const change = isInbox ? extendExpiry(new Date(Date.now() + minRememberedMs)) : unchanged;
    await writeCollection(client.db(database), folder, part, change);
  }
}

const unchanged = (document: Document): Document => document;

/**
 * Makes inboxes remember received messages at least until this time. Otherwise the inboxes of an old backup would
 * forget a message immediately, and a message that the sender's outbox sends again, because it lacks the receipt, would
 * be handled twice.
 */
function extendExpiry(until: Date) {
  return (document: Document): Document => {
    const { expiresAt } = document as { expiresAt?: unknown };
    const isEarlier = expiresAt instanceof Date && expiresAt < until;
    return isEarlier ? { ...document, expiresAt: until } : document;
  };
}
