import { createHash } from 'node:crypto';
import { createId } from '@paralleldrive/cuid2';
import { ensureIndexes, type MongoConnection } from '@daycare/mongo';
import { testDatabase, uniqueName } from '@daycare/testing';
import { fileIndexes, FileStore } from '../store/file-store';
import { makeCollectFiles } from '../usecases/collect-files';
import { makeDownloadFile } from '../usecases/download-file';
import { makeUploadFile, type UploadHeader, type UploadPart } from '../usecases/upload-file';

export const sha256Of = (bytes: Uint8Array): string =>
  createHash('sha256').update(bytes).digest('hex');

/** Bytes in pieces, as they come over the wire. */
export function* inPieces(bytes: Uint8Array, pieceBytes = 1_000_000): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}

export async function readAll<T>(values: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const value of values) all.push(value);
  return all;
}

/** Closed until `open` is called. */
export function newGate() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

/** A database of its own with the file usecases on it. Call `close` at the end. */
export async function openTestFiles(): Promise<TestFiles> {
  const mongo = await testDatabase('files');
  await ensureIndexes(mongo.db, fileIndexes);
  return new TestFiles(mongo);
}

export class TestFiles {
  readonly store: FileStore;
  readonly uploadParts: ReturnType<typeof makeUploadFile>;
  readonly download: ReturnType<typeof makeDownloadFile>;
  readonly collect: ReturnType<typeof makeCollectFiles>;
  now = new Date('2026-01-01T00:00:00Z');

  constructor(readonly mongo: MongoConnection) {
    const files = new FileStore(mongo.db);
    const now = () => this.now;
    this.store = files;
    this.uploadParts = makeUploadFile({ files, newId: createId, now });
    this.download = makeDownloadFile({ files });
    this.collect = makeCollectFiles({ files, now });
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
    for (const chunk of inPieces(bytes)) yield { chunk };
  }

  async read(userId: string, fileId: string): Promise<Buffer> {
    const chunks: Buffer[] = [];
    for await (const part of this.download(userId, fileId))
      if ('chunk' in part) chunks.push(part.chunk);
    return Buffer.concat(chunks);
  }

  /** How many documents of each kind there are. */
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
