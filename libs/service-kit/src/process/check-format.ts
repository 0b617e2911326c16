import type { Collection, Db } from 'mongodb';
import { AppError } from '@daycare/api';
import type { CollectionIndexes } from '@daycare/mongo';

/** The format of stored data that this version reads and writes; it also reads all older ones. */
export const dataFormat = 1;

interface FormatDocument {
  readonly _id: string;
  readonly version?: number;
}

/** What is stored about a database itself. An incomplete restoration leaves the document `restoring` behind. */
const collection = 'format';
export const formatIndexes: CollectionIndexes = { collection, shardKey: 'unsharded', indexes: [] };
const dataId = 'data';
const restoringId = 'restoring';

/**
 * Throws if the data was stored in a newer format or by an interrupted restoration, because the service would damage
 * it. Otherwise stores this version's format, unless replicas of a newer version have raised it in the meantime.
 */
export async function checkFormat(db: Db, supported = dataFormat): Promise<void> {
  const formats: Collection<FormatDocument> = db.collection(collection);
  const found = await formats.find({ _id: { $in: [dataId, restoringId] } }).toArray();
  const { databaseName } = db;
  if (found.some(({ _id }) => _id === restoringId))
    throw refusal(
      `the database ${databaseName} contains a partially restored backup; drop the database and restore again`,
    );
  const version = found.find(({ _id }) => _id === dataId)?.version ?? 1;
  if (version > supported)
    throw refusal(
      `the data in the database ${databaseName} has format ${version}, but this version reads only formats up to ${supported}; run a newer version`,
    );
  await formats.updateOne({ _id: dataId }, { $max: { version: supported } }, { upsert: true });
}

function refusal(text: string): AppError {
  return new AppError('FAILED_PRECONDITION', text);
}
