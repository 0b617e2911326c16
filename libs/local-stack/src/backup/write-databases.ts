import { BSON, type Db, type Document, type MongoClient } from 'mongodb';
import { readBson } from './bson-file';
import { refusal, type CollectionPart } from './manifest';
import type { BackupDatabase } from './read-databases';

/** Keeps numbers, dates and binaries exactly as they were stored. */
const exactTypes = {
  promoteValues: false,
  promoteBuffers: false,
  promoteLongs: false,
  bsonRegExp: true,
} as const;
const maxBatch = { documents: 1_000, bytes: 8 << 20 };

/** The _id of the document in a database whose restoration is incomplete; services do not start on such a database. */
export const restoringId = 'restoring';
export const formatCollection = 'format';

/** Throws if any of the databases contains a document. */
export async function requireEmptyDatabases(
  client: MongoClient,
  databases: readonly BackupDatabase[],
): Promise<void> {
  for (const { database } of databases) {
    const names = await client.db(database).listCollections({}, { nameOnly: true }).toArray();
    for (const { name } of names) {
      if (!(await client.db(database).collection(name).findOne({}))) continue;
      throw refusal(
        `The database ${database} is not empty (${name}); a backup can only be restored into an empty stack`,
      );
    }
  }
}

/** Inserts the documents of a collection in batches. */
export async function writeCollection(
  db: Db,
  folder: string,
  { collection, file, entries }: CollectionPart,
  change: (document: Document) => Document,
): Promise<void> {
  const target = db.collection(collection);
  let [batch, bytes, count]: [Document[], number, number] = [[], 0, 0];
  const flush = async (): Promise<void> => {
    if (batch.length > 0) await target.insertMany(batch, { ordered: false });
    [batch, bytes] = [[], 0];
  };
  for await (const encoded of readBson(folder, file)) {
    batch.push(change(BSON.deserialize(encoded, exactTypes)));
    bytes += encoded.length;
    count += 1;
    if (batch.length >= maxBatch.documents || bytes >= maxBatch.bytes) await flush();
  }
  await flush();
  if (count !== entries)
    throw refusal(`${file} has ${count} documents; the manifest says ${entries}`);
}
