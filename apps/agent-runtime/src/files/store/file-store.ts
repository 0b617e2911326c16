import { GridFSBucket, type ClientSession, type Collection, type Db } from 'mongodb';
import { afterPosition } from '@daycare/mongo';
import type { AttachedFile } from '../../agents';
import { attachmentOf, type FileDraft, type StoredFile } from '../domain/stored-file';
import { FileCollector } from './file-collector';
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
const chunkBatch = 4;
const notDeleted = { 'metadata.deletedAt': { $exists: false } };

export interface WrittenFile {
  /** The file with the request key, possibly created by an earlier upload. */
  readonly file: StoredFile;
  /** The hash of the content received this time, in lower-case hex. */
  readonly sha256: string;
}

export interface OpenFile {
  readonly file: StoredFile;
  /** Chunks of at most 255 KiB. Reading them throws if the file is removed in the meantime. */
  readonly chunks: AsyncIterable<Buffer>;
}

/** Users' files in GridFS. A file is visible once it is complete, and only to its user. */
export class FileStore {
  readonly #collector: FileCollector;
  readonly #bucket: GridFSBucket;
  readonly #files: Collection<FileDocument>;
  readonly #chunks: Collection<ChunkDocument>;
  readonly #uploads: Collection<UploadDocument>;

  constructor(db: Db) {
    this.#collector = new FileCollector(db);
    this.#bucket = new GridFSBucket(db, { bucketName, chunkSizeBytes: chunkBytes });
    this.#files = db.collection(filesCollection);
    this.#chunks = db.collection(chunksCollection);
    this.#uploads = db.collection(uploadsCollection);
  }

  /**
   * Stores the source's content, unless the request key is known: then the source is only hashed, and the
   * earlier file is returned. If the source fails, is too large or does not match the expected hash, nothing
   * is stored. Only content that is to be stored passes through `meter`.
   */
  async write(
    draft: FileDraft,
    source: AsyncIterable<Uint8Array>,
    meter: (pieces: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array> = (all) => all,
  ): Promise<WrittenFile> {
    const known = await this.#findByRequest(draft);
    if (known) return { file: known, sha256: await hashOf(draft, source) };
    const content = new FileContent(draft, meter(source));
    const { sha256 } = await uploadFile(
      {
        bucket: this.#bucket,
        uploads: this.#uploads,
        remove: (id) => this.#collector.remove({ _id: id }),
      },
      draft,
      content,
    );
    const file = await this.#findByRequest(draft);
    if (!file) throw new Error(`file ${draft.id} was removed as soon as it was stored`);
    return { file, sha256 };
  }

  async open(userId: string, fileId: string): Promise<OpenFile | undefined> {
    const file = await this.find(userId, fileId);
    return file && { file, chunks: this.#read(file) };
  }

  async find(userId: string, fileId: string): Promise<StoredFile | undefined> {
    const found = await this.#files.findOne({
      _id: fileId,
      'metadata.userId': userId,
      ...notDeleted,
    });
    return found ? toStoredFile(found) : undefined;
  }

  /** Reads up to `length` bytes of a file that was found. Throws if the file was removed in the meantime. */
  async readRange({ id, size }: StoredFile, offset: number, length: number): Promise<Buffer> {
    const end = Math.min(size, offset + length);
    if (offset >= end) return Buffer.alloc(0);
    const first = Math.floor(offset / chunkBytes);
    const n = { $gte: first, $lte: Math.floor((end - 1) / chunkBytes) };
    const found = await this.#chunks
      .find({ files_id: id, n }, { promoteBuffers: true })
      .sort({ n: 1 })
      .toArray();
    const from = offset - first * chunkBytes;
    const bytes = Buffer.concat(found.map(({ data }) => data)).subarray(from, from + end - offset);
    if (bytes.length !== end - offset) throw new Error(`file ${id} ended too early`);
    return bytes;
  }

  /** Returns the user's files with these ids, in the order requested; other ids are skipped. */
  async findMany(userId: string, ids: readonly string[]): Promise<AttachedFile[]> {
    const filter = { _id: { $in: [...ids] }, 'metadata.userId': userId, ...notDeleted };
    const found = await this.#files.find(filter).toArray();
    const byId = new Map(found.map((file) => [file._id, attachmentOf(toStoredFile(file))]));
    return ids.flatMap((id) => byId.get(id) ?? []);
  }

  /**
   * Protects files from being deleted as unreferenced. Returns false when one of them is missing or not the user's;
   * nothing that refers to them may then be stored.
   */
  async markReferenced(
    userId: string,
    ids: readonly string[],
    session?: ClientSession,
  ): Promise<boolean> {
    const unique = [...new Set(ids)];
    if (unique.length === 0) return true;
    const { matchedCount } = await this.#files.updateMany(
      { _id: { $in: unique }, 'metadata.userId': userId, ...notDeleted },
      { $set: { 'metadata.referenced': true } },
      session ? { session } : {},
    );
    return matchedCount === unique.length;
  }

  /** Lists a user's files, newest first. */
  async list(
    userId: string,
    after: { readonly createdAt: Date; readonly id: string } | undefined,
    limit: number,
  ): Promise<StoredFile[]> {
    const newestFirst = { 'metadata.createdAt': -1, _id: -1 } as const;
    const next =
      after && afterPosition(newestFirst, { 'metadata.createdAt': after.createdAt, _id: after.id });
    const found = await this.#files
      .find({ 'metadata.userId': userId, ...notDeleted, ...next }, { hint: 'user_newest' })
      .sort(newestFirst)
      .limit(limit)
      .toArray();
    return found.map(toStoredFile);
  }

  /** Returns the total size and the number of a user's files. */
  async sizeOf(userId: string): Promise<{ readonly bytes: number; readonly entries: number }> {
    const [sum] = await this.#files
      .aggregate<{ bytes: number; entries: number }>(
        [
          { $match: { 'metadata.userId': userId, ...notDeleted } },
          { $group: { _id: null, bytes: { $sum: '$length' }, entries: { $sum: 1 } } },
        ],
        { hint: 'user_newest' },
      )
      .toArray();
    return { bytes: sum?.bytes ?? 0, entries: sum?.entries ?? 0 };
  }

  /**
   * Deletes a file's content immediately. Returns false when the user has no such file, but true if the same request
   * has already deleted it.
   */
  async delete(
    userId: string,
    fileId: string,
    {
      deletedByRequest,
      deletedAt,
    }: { readonly deletedByRequest: string; readonly deletedAt: Date },
  ): Promise<boolean> {
    const fileOfUser = { _id: fileId, 'metadata.userId': userId };
    const { matchedCount } = await this.#files.updateOne(
      { ...fileOfUser, ...notDeleted },
      {
        $set: {
          'metadata.deletedAt': deletedAt,
          'metadata.deletedBy': deletedByRequest,
          // Frees the request key, because a late retry of the upload must store the file again.
          'metadata.requestKey': `deleted:${fileId}`,
        },
      },
    );
    const sameDeletion = { ...fileOfUser, 'metadata.deletedBy': deletedByRequest };
    if (matchedCount === 0 && !(await this.#files.findOne(sameDeletion))) return false;
    await this.#chunks.deleteMany({ files_id: fileId });
    return true;
  }

  /** Deletes all the user's files. The chunks of an upload in progress are deleted later, by `FileCollector.collect`. */
  async deleteByUser(userId: string): Promise<number> {
    return this.#collector.removeAll({ 'metadata.userId': userId });
  }

  async #findByRequest({ userId, requestKey }: FileDraft): Promise<StoredFile | undefined> {
    const request = { 'metadata.userId': userId, 'metadata.requestKey': requestKey };
    const found = await this.#files.findOne(request);
    return found ? toStoredFile(found) : undefined;
  }

  async *#read({ id, size }: StoredFile): AsyncGenerator<Buffer, void> {
    const options = { batchSize: chunkBatch, promoteBuffers: true };
    let read = 0;
    for await (const { data } of this.#chunks.find({ files_id: id }, options).sort({ n: 1 })) {
      read += data.length;
      yield data;
    }
    if (read !== size) throw new Error(`file ${id} ended after ${read} of ${size} bytes`);
  }
}

async function hashOf(draft: FileDraft, source: AsyncIterable<Uint8Array>): Promise<string> {
  return (await new FileContent(draft, source).read(() => undefined)).sha256;
}
