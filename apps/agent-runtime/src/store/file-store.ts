import { GridFSBucket, type ClientSession, type Collection, type Db, type Filter } from 'mongodb';
import { inTransaction } from '@daycare/mongo';
import type { FileReference } from '../domain/history-record';
import { referenceTo, type FileDraft, type StoredFile } from '../domain/stored-file';
import { FileContent } from './file-content';
import {
  bucketName,
  chunksCollection,
  filesCollection,
  toStoredFile,
  uploadsCollection,
  type ChunkDocument,
  type FileDocument,
  type UploadDocument,
} from './file-document';
import { uploadFile } from './file-upload';

export { fileIndexes } from './file-document';

const chunkBytes = 255 * 1024;
const chunksAtOnce = 4;
const batch = 100;

export interface WrittenFile {
  /** The file that the request key stands for, which an earlier upload may have made. */
  readonly file: StoredFile;
  /** What arrived this time, in lower-case hex. */
  readonly sha256: string;
}

export interface OpenFile {
  readonly file: StoredFile;
  /** At most 255 KiB each. Throws when the file is removed meanwhile. */
  readonly chunks: AsyncIterable<Buffer>;
}

/** The users' files in GridFS. A file is seen once it is complete, and only by its user. */
export class FileStore {
  readonly #db: Db;
  readonly #bucket: GridFSBucket;
  readonly #files: Collection<FileDocument>;
  readonly #chunks: Collection<ChunkDocument>;
  readonly #uploads: Collection<UploadDocument>;

  constructor(db: Db) {
    this.#db = db;
    this.#bucket = new GridFSBucket(db, { bucketName, chunkSizeBytes: chunkBytes });
    this.#files = db.collection(filesCollection);
    this.#chunks = db.collection(chunksCollection);
    this.#uploads = db.collection(uploadsCollection);
  }

  /**
   * Stores what the source gives, unless the request key is known: then it is only read, and the
   * earlier file is the answer. When the source fails, is too large or is not as promised, nothing stays.
   */
  async write(draft: FileDraft, source: AsyncIterable<Uint8Array>): Promise<WrittenFile> {
    const content = new FileContent(draft, source);
    const known = await this.#findByRequest(draft);
    if (known) return { file: known, sha256: (await content.read(() => undefined)).sha256 };
    const { sha256 } = await uploadFile(
      { bucket: this.#bucket, uploads: this.#uploads, remove: (id) => this.#remove({ _id: id }) },
      draft,
      content,
    );
    const file = await this.#findByRequest(draft);
    if (!file) throw new Error(`file ${draft.id} was removed as soon as it was stored`);
    return { file, sha256 };
  }

  async open(userId: string, fileId: string): Promise<OpenFile | undefined> {
    const found = await this.#files.findOne({ _id: fileId, 'metadata.userId': userId });
    if (!found) return undefined;
    const file = toStoredFile(found);
    return { file, chunks: this.#read(file) };
  }

  /** Those of the ids that are files of the user, in the order asked. */
  async findMany(userId: string, ids: readonly string[]): Promise<FileReference[]> {
    const filter = { _id: { $in: [...ids] }, 'metadata.userId': userId };
    const found = await this.#files.find(filter).toArray();
    const byId = new Map(found.map((file) => [file._id, referenceTo(toStoredFile(file))]));
    return ids.flatMap((id) => byId.get(id) ?? []);
  }

  /**
   * Keeps files from being collected. False when one of them is gone or not the user's: then whatever
   * would have referred to them must not be stored.
   */
  async markReferenced(
    userId: string,
    ids: readonly string[],
    session?: ClientSession,
  ): Promise<boolean> {
    const unique = [...new Set(ids)];
    if (unique.length === 0) return true;
    const { matchedCount } = await this.#files.updateMany(
      { _id: { $in: unique }, 'metadata.userId': userId },
      { $set: { 'metadata.referenced': true } },
      session ? { session } : {},
    );
    return matchedCount === unique.length;
  }

  /**
   * Maintenance: removes what was created before and is referred to by nothing, and what uploads left
   * behind that began before. Returns how many there were. Any number of replicas may do it at once.
   */
  async collect(before: Date): Promise<number> {
    const unreferenced = {
      'metadata.referenced': false,
      'metadata.createdAt': { $lt: before },
    };
    return (await this.#removeAll(unreferenced)) + (await this.#clearUploads(before));
  }

  /** Removes all that the user has. An upload under way is collected later. */
  async deleteOfUser(userId: string): Promise<number> {
    return this.#removeAll({ 'metadata.userId': userId });
  }

  async #findByRequest(draft: FileDraft): Promise<StoredFile | undefined> {
    const { userId, requestKey } = draft;
    const request = { 'metadata.userId': userId, 'metadata.requestKey': requestKey };
    const found = await this.#files.findOne(request);
    return found ? toStoredFile(found) : undefined;
  }

  async *#read({ id, size }: StoredFile): AsyncGenerator<Buffer, void> {
    const options = { batchSize: chunksAtOnce, promoteBuffers: true };
    let read = 0;
    for await (const { data } of this.#chunks.find({ files_id: id }, options).sort({ n: 1 })) {
      read += data.length;
      yield data;
    }
    if (read !== size) throw new Error(`file ${id} ended after ${read} of ${size} bytes`);
  }

  async #removeAll(filter: Filter<FileDocument>): Promise<number> {
    const findSome = () =>
      this.#files
        .find(filter, { projection: { _id: 1 } })
        .limit(batch)
        .toArray();
    let count = 0;
    for (let some = await findSome(); some.length > 0; some = await findSome()) {
      for (const { _id } of some) await this.#remove({ ...filter, _id });
      count += some.length;
    }
    return count;
  }

  /** A file and its chunks go together, if it is still as the filter says when they do. */
  #remove(filter: Filter<FileDocument> & { readonly _id: string }): Promise<void> {
    return inTransaction(this.#db.client, async (session) => {
      await this.#files.deleteOne(filter, { session });
      const kept = await this.#files.findOne({ _id: filter._id }, { session });
      if (!kept) await this.#chunks.deleteMany({ files_id: filter._id }, { session });
    });
  }

  async #clearUploads(before: Date): Promise<number> {
    const findSome = () =>
      this.#uploads
        .find({ startedAt: { $lt: before } })
        .limit(batch)
        .toArray();
    let count = 0;
    for (let some = await findSome(); some.length > 0; some = await findSome()) {
      for (const { _id } of some) await this.#clearUpload(_id);
      count += some.length;
    }
    return count;
  }

  /** An upload that has its file document was complete; only its mark is left. */
  async #clearUpload(fileId: string): Promise<void> {
    const file = await this.#files.findOne({ _id: fileId }, { projection: { _id: 1 } });
    if (!file) await this.#chunks.deleteMany({ files_id: fileId });
    await this.#uploads.deleteOne({ _id: fileId });
  }
}
