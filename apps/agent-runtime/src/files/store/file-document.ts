import type { CollectionIndexes } from '@daycare/mongo';
import type { Trust } from '@daycare/api';
import type { FilePreview } from '../domain/file-preview';
import type { StoredFile } from '../domain/stored-file';

export const bucketName = 'files';
export const filesCollection = `${bucketName}.files`;
export const chunksCollection = `${bucketName}.chunks`;
export const uploadsCollection = 'file_uploads';
export const requestIndex = 'user_request';

/** GridFS defines the shape; our fields are in `metadata`. The document is written last, after all chunks. */
export interface FileDocument {
  readonly _id: string;
  readonly filename: string;
  readonly length: number;
  readonly metadata: FileMetadata;
}

export interface FileMetadata {
  readonly userId: string;
  readonly requestKey: string;
  readonly mimeType: string;
  readonly sha256: string;
  readonly createdAt: Date;
  /** Absent in files stored before this field existed. */
  readonly preview?: FilePreview;
  /**
   * The lower of the trust of the file's author and of the turn that stored it; absent when both are the user's own.
   */
  readonly writtenBy?: Trust;
  /** Whether a message refers to the file; if so, the cleanup of unreferenced files does not delete it. */
  readonly referenced: boolean;
  /** When the file's content was deleted; the document is deleted later. */
  readonly deletedAt?: Date;
  /** The id of the request that deleted the file. */
  readonly deletedBy?: string;
}

export interface ChunkDocument {
  readonly files_id: string;
  readonly n: number;
  readonly data: Buffer;
}

/** Marks an upload as unfinished: chunks may exist under this id without a file document. */
export interface UploadDocument {
  readonly _id: string;
  readonly startedAt: Date;
}

export const fileIndexes: CollectionIndexes[] = [
  {
    collection: filesCollection,
    shardKey: { 'metadata.userId': 'hashed' },
    indexes: [
      {
        name: requestIndex,
        key: { 'metadata.userId': 1, 'metadata.requestKey': 1 },
        unique: true,
      },
      {
        name: 'unreferenced',
        key: { 'metadata.createdAt': 1 },
        partialFilterExpression: { 'metadata.referenced': false },
      },
      {
        name: 'user_newest',
        key: { 'metadata.userId': 1, 'metadata.createdAt': -1, _id: -1 },
      },
      {
        name: 'deleted',
        key: { 'metadata.deletedAt': 1 },
        partialFilterExpression: { 'metadata.deletedAt': { $exists: true } },
      },
      // The driver creates this index and the one on chunks if they are missing.
      { name: 'filename_1_uploadDate_1', key: { filename: 1, uploadDate: 1 } },
    ],
  },
  {
    collection: chunksCollection,
    shardKey: { files_id: 'hashed' },
    indexes: [{ name: 'files_id_1_n_1', key: { files_id: 1, n: 1 }, unique: true }],
  },
  {
    collection: uploadsCollection,
    shardKey: { _id: 'hashed' },
    indexes: [{ name: 'started', key: { startedAt: 1 } }],
  },
];

export function toStoredFile({ _id: id, filename, length, metadata }: FileDocument): StoredFile {
  const { userId, mimeType, sha256, createdAt, preview, writtenBy } = metadata;
  const facts = { ...(preview ? { preview } : {}), ...(writtenBy ? { writtenBy } : {}) };
  return { id, userId, name: filename, mimeType, size: length, sha256, createdAt, ...facts };
}
