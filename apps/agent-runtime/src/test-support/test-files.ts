import { createHash } from 'node:crypto';
import { createId } from '@daycare/api/create-id';
import { ensureIndexes, type MongoConnection } from '@daycare/mongo';
import { testDatabase, uniqueName } from '@daycare/testing';
import { FileCollector } from '../files/store/file-collector';
import { fileIndexes, FileStore } from '../files/store/file-store';
import { makeCollectFiles } from '../files/usecases/collect-files';
import { makeDeleteFile } from '../files/usecases/delete-file';
import { makeListFiles } from '../files/usecases/list-files';
import type { UploadQuota } from '../files';
import { makeUploadQuota } from '../homes/usecases/upload-quota';
import { homeIndexes, HomeStore } from '../homes/store/home-store';
import { makeDownloadFile } from '../files/usecases/download-file';
import { makeUploadFile, type UploadHeader, type UploadPart } from '../files/usecases/upload-file';

export const sha256Of = (bytes: Uint8Array): string =>
  createHash('sha256').update(bytes).digest('hex');

/** Bytes in chunks, as they arrive over the wire. */
function* inChunks(bytes: Uint8Array, chunkBytes = 1_000_000): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
}

export async function readAll<T>(values: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const value of values) all.push(value);
  return all;
}

/** A gate that is closed until `open` is called; `opened` resolves when it is opened. */
export function newGate() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

const defaultQuotaBytes = 64 * 1_048_576;

/** Creates a separate database and the file usecases on it. Call `close` at the end. */
export async function openTestFiles(quotaBytes = defaultQuotaBytes): Promise<TestFiles> {
  const mongo = await testDatabase('files');
  await ensureIndexes(mongo.db, [...fileIndexes, homeIndexes]);
  return new TestFiles(mongo, quotaBytes);
}

export class TestFiles {
  readonly store: FileStore;
  readonly quota: UploadQuota;
  readonly delete: ReturnType<typeof makeDeleteFile>;
  readonly list: ReturnType<typeof makeListFiles>;
  /** The owner of each subuser, by id. */
  readonly owners = new Map<string, string>();
  readonly uploadParts: ReturnType<typeof makeUploadFile>;
  readonly download: ReturnType<typeof makeDownloadFile>;
  readonly collect: ReturnType<typeof makeCollectFiles>;
  now = new Date('2026-01-01T00:00:00Z');

  constructor(
    readonly mongo: MongoConnection,
    quotaBytes: number,
  ) {
    const files = new FileStore(mongo.db);
    const now = () => this.now;
    this.store = files;
    this.quota = makeUploadQuota({
      homeUsage: new HomeStore(mongo.db),
      limits: { bytes: quotaBytes, entries: 1_000 },
      ownerOf: async (userId) => this.owners.get(userId) ?? userId,
      measure: async (userId, kind) => (kind ? files.sizeOf(userId) : undefined),
      now,
    });
    this.delete = makeDeleteFile({ files, quota: this.quota, now });
    this.list = makeListFiles({ files });
    this.uploadParts = makeUploadFile({ files, quota: this.quota, newId: createId, now });
    this.download = makeDownloadFile({ files });
    this.collect = makeCollectFiles({ collector: new FileCollector(mongo.db), now });
  }

  newUser(): string {
    return uniqueName('u').replace('-', '');
  }

  header(header: Partial<UploadHeader> = {}): UploadHeader {
    return { requestId: uniqueName('r'), name: 'a.bin', mimeType: '', sha256: '', ...header };
  }

  upload(userId: string, bytes: Uint8Array, header: Partial<UploadHeader> = {}) {
    return this.uploadParts({ userId, parts: this.parts(bytes, header) });
  }

  async *parts(bytes: Uint8Array, header: Partial<UploadHeader> = {}): AsyncGenerator<UploadPart> {
    yield { header: this.header(header) };
    for (const chunk of inChunks(bytes)) yield { chunk };
  }

  async read(userId: string, fileId: string): Promise<Buffer> {
    const chunks: Buffer[] = [];
    for await (const part of this.download(userId, fileId))
      if ('chunk' in part) chunks.push(part.chunk);
    return Buffer.concat(chunks);
  }

  /** Counts the documents in each of the file collections. */
  async stored() {
    const { db } = this.mongo;
    const count = (name: string) => db.collection(name).countDocuments();
    return {
      files: await count('files.files'),
      chunks: await count('files.chunks'),
      uploads: await count('file_uploads'),
    };
  }

  close(): Promise<void> {
    return this.mongo.close();
  }
}
