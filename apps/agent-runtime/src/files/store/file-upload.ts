import { finished } from 'node:stream/promises';
import type { Collection, GridFSBucket, GridFSBucketWriteStream, ObjectId } from 'mongodb';
import { violatedIndex } from '@daycare/mongo';
import { uploadTooSlow, type FileDraft } from '../domain/stored-file';
import type { FileContent, ContentFacts } from './file-content';
import { requestIndex, type FileMetadata, type UploadDocument } from './file-document';

export interface UploadDeps {
  readonly bucket: GridFSBucket;
  readonly uploads: Collection<UploadDocument>;
  /** Deletes the chunks with this file id, and the file if there is one. */
  readonly remove: (fileId: string) => Promise<void>;
}

export interface UploadOutcome {
  /**
   * False when another upload took the request key in the meantime; then nothing of this upload is stored.
   */
  readonly stored: boolean;
  readonly sha256: string;
}

/**
 * Writes a marker, the chunks and the file document, then removes the marker. If this process dies at any
 * point, every upload that may have left chunks has a marker, so the collector need not search for them.
 * Only acknowledged writes are cleaned up here: after a database failure the marker is left to the
 * collector.
 */
export async function uploadFile(
  deps: UploadDeps,
  draft: FileDraft,
  content: FileContent,
): Promise<UploadOutcome> {
  await deps.uploads.insertOne({ _id: draft.id, startedAt: draft.createdAt });
  const stream = openStream(deps.bucket, draft);
  const facts = await fill(deps, stream, draft.id, content);
  const stored = await finish(stream, metadataOf(draft, facts));
  if (!stored) await deps.remove(draft.id);
  const { deletedCount } = await deps.uploads.deleteOne({ _id: draft.id });
  if (deletedCount === 0) {
    await deps.remove(draft.id);
    throw uploadTooSlow();
  }
  return { stored, sha256: facts.sha256 };
}

function openStream(bucket: GridFSBucket, { id, name }: FileDraft): GridFSBucketWriteStream {
  // GridFS accepts any id; only the driver's types do not.
  const stream = bucket.openUploadStreamWithId(id as unknown as ObjectId, name);
  // Errors surface where something is written.
  stream.on('error', () => undefined);
  return stream;
}

async function fill(
  { uploads }: UploadDeps,
  stream: GridFSBucketWriteStream,
  id: string,
  content: FileContent,
): Promise<ContentFacts> {
  try {
    return await content.read((piece) => writePiece(stream, piece));
  } catch (error) {
    if (stream.errored === null) await discard(uploads, stream, id);
    throw error;
  }
}

/**
 * Deletes what an upload has stored, after a failure of its content rather than the database: every chunk was
 * acknowledged, so all can be deleted. If the deletion fails, the marker stays, and the caller still gets the
 * error about the content.
 */
async function discard(
  uploads: Collection<UploadDocument>,
  stream: GridFSBucketWriteStream,
  id: string,
): Promise<void> {
  const discarded = stream.abort().then(() => uploads.deleteOne({ _id: id }));
  await discarded.catch(() => undefined);
}

/**
 * Waits until the chunk is written, so that the source is not read faster than the database accepts
 * it.
 */
function writePiece(stream: GridFSBucketWriteStream, piece: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(piece, (error) => (error ? reject(error) : resolve()));
  });
}

/** Writes the file document; false when the request key is taken. */
async function finish(stream: GridFSBucketWriteStream, metadata: FileMetadata): Promise<boolean> {
  // The driver reads the metadata only when it writes the file document.
  stream.options.metadata = metadata;
  try {
    stream.end();
    await finished(stream);
    return true;
  } catch (error) {
    if (violatedIndex(error) === requestIndex) return false;
    throw error;
  }
}

function metadataOf(draft: FileDraft, facts: ContentFacts): FileMetadata {
  const { userId, requestKey, createdAt, writtenBy } = draft;
  const by = writtenBy ? { writtenBy } : {};
  return { userId, requestKey, ...facts, ...by, createdAt, referenced: false };
}
