import type { Collection, Db, Filter } from 'mongodb';
import { inTransaction } from '@daycare/mongo';
import {
  chunksCollection,
  filesCollection,
  uploadsCollection,
  type ChunkDocument,
  type FileDocument,
  type UploadDocument,
} from './file-document';

const batchSize = 100;

/** Removes files with their chunks, and what interrupted uploads have left. */
export class FileCollector {
  readonly #db: Db;
  readonly #files: Collection<FileDocument>;
  readonly #chunks: Collection<ChunkDocument>;
  readonly #uploads: Collection<UploadDocument>;

  constructor(db: Db) {
    this.#db = db;
    this.#files = db.collection(filesCollection);
    this.#chunks = db.collection(chunksCollection);
    this.#uploads = db.collection(uploadsCollection);
  }

  /**
   * Removes files that nothing refers to, deleted files and the remains of uploads, all from before the given time.
   * Returns how many. Safe to run on any number of replicas concurrently.
   */
  async collect(before: Date): Promise<number> {
    const unreferenced = {
      'metadata.referenced': false,
      'metadata.createdAt': { $lt: before },
    };
    const deleted = { 'metadata.deletedAt': { $lt: before } };
    return (
      (await this.removeAll(unreferenced)) +
      (await this.removeAll(deleted)) +
      (await this.#clearUploads(before))
    );
  }

  /** Removes the files that match the filter; returns how many. */
  async removeAll(filter: Filter<FileDocument>): Promise<number> {
    return removeFound(
      () =>
        this.#files
          .find(filter, { projection: { _id: 1 } })
          .limit(batchSize)
          .toArray(),
      ({ _id }) => this.remove({ ...filter, _id }),
    );
  }

  /** Deletes the file if it still matches the filter, and the chunks with its id unless the file still exists. */
  remove(filter: Filter<FileDocument> & { readonly _id: string }): Promise<void> {
    return inTransaction(this.#db.client, async (session) => {
      await this.#files.deleteOne(filter, { session });
      const kept = await this.#files.findOne({ _id: filter._id }, { session });
      if (!kept) await this.#chunks.deleteMany({ files_id: filter._id }, { session });
    });
  }

  #clearUploads(before: Date): Promise<number> {
    return removeFound(
      () =>
        this.#uploads
          .find({ startedAt: { $lt: before } })
          .limit(batchSize)
          .toArray(),
      ({ _id }) => this.#clearUpload(_id),
    );
  }

  /**
   * Removes the remains of an upload. If its file document exists, the upload was complete and only its marker is
   * removed.
   */
  async #clearUpload(fileId: string): Promise<void> {
    const file = await this.#files.findOne({ _id: fileId }, { projection: { _id: 1 } });
    if (!file) await this.#chunks.deleteMany({ files_id: fileId });
    await this.#uploads.deleteOne({ _id: fileId });
  }
}

/** Removes what `findSome` returns until it returns nothing more; returns how many there were. */
async function removeFound<T>(
  findSome: () => Promise<readonly T[]>,
  remove: (found: T) => Promise<void>,
): Promise<number> {
  let count = 0;
  for (let some = await findSome(); some.length > 0; some = await findSome()) {
    for (const found of some) await remove(found);
    count += some.length;
  }
  return count;
}
