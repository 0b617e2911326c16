import type { Collection, Db } from 'mongodb';
import { AppError } from '@daycare/api';
import type { CollectionIndexes } from '@daycare/mongo';

/** The format of stored data that this version reads and writes; it also reads all older ones. */
export const dataFormat = 1;

interface FormatDocument {
  readonly _id: string;
  readonly version?: number;
}

/** What is stored about a database itself. An incomplete restoration leaves the document `restoring`. */
const collection = 'format';
export const formatIndexes: CollectionIndexes = { collection, shardKey: 'unsharded', indexes: [] };
const dataId = 'data';
const restoringId = 'restoring';

/**
 * Throws when the data was stored in a newer format, or by a restoration that was interrupted: the service
 * would damage it. Otherwise stores the format of this version, unless replicas of a newer version have
 * raised it meanwhile.
 */
export async function checkFormat(db: Db, supported = dataFormat): Promise<void> {
  const formats: Collection<FormatDocument> = db.collection(collection);
  const found = await formats.find({ _id: { $in: [dataId, restoringId] } }).toArray();
  const { databaseName } = db;
  if (found.some(({ _id }) => _id === restoringId))
    throw refuse(
      `the database ${databaseName} contains a partially restored backup; drop the database and restore again`,
    );
  const version = found.find(({ _id }) => _id === dataId)?.version ?? 1;
  if (version > supported)
    throw refuse(
      `the data in the database ${databaseName} has format ${version}, but this version reads formats up to ${supported} only; run a newer version`,
    );
  await formats.updateOne({ _id: dataId }, { $max: { version: supported } }, { upsert: true });
}

function refuse(text: string): AppError {
  return new AppError('FAILED_PRECONDITION', text);
}
