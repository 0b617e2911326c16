import { finished } from 'node:stream/promises';
import type { Collection, GridFSBucket, GridFSBucketWriteStream, ObjectId } from 'mongodb';
import { violatedIndex } from '@daycare/mongo';
import { uploadTooSlow, type FileDraft } from '../domain/stored-file';
import type { FileContent, ContentFacts } from './file-content';
import { requestIndex, type FileMetadata, type UploadDocument } from './file-document';

export interface UploadDeps {
  readonly bucket: GridFSBucket;
  readonly uploads: Collection<UploadDocument>;
  /** Removes the chunks of an id, and the file if there is one. */
  readonly remove: (fileId: string) => Promise<void>;
}

export interface UploadOutcome {
  /** False when another upload took the request key meanwhile; then nothing was kept of this one. */
  readonly stored: boolean;
  readonly sha256: string;
}

/**
 * Writes a mark, the chunks, the file document, and takes the mark away. Whatever this process dies
 * of, a mark stays wherever chunks may lie about, so the collector need not search for them. Only what
 * is known to be written is cleaned up here: after a failure of the database the mark is left to it.
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
  // GridFS takes any id; only the driver's types do not.
  const stream = bucket.openUploadStreamWithId(id as unknown as ObjectId, name);
  // Failures are heard where something is written.
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
 * The content failed, not the database: every chunk has been acknowledged, and all can go. If they
 * cannot just now, the mark stays, and the caller hears what was wrong with the content all the same.
 */
async function discard(
  uploads: Collection<UploadDocument>,
  stream: GridFSBucketWriteStream,
  id: string,
): Promise<void> {
  const discarded = stream.abort().then(() => uploads.deleteOne({ _id: id }));
  await discarded.catch(() => undefined);
}

/** Waits until the piece is written, so that the source is not read faster than the database takes it. */
function writePiece(stream: GridFSBucketWriteStream, piece: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(piece, (error) => (error ? reject(error) : resolve()));
  });
}

/** Writes the file document; false when the request key is taken. */
async function finish(stream: GridFSBucketWriteStream, metadata: FileMetadata): Promise<boolean> {
  // The driver reads it when it writes the file document.
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
  const { userId, requestKey, createdAt } = draft;
  return { userId, requestKey, ...facts, createdAt, referenced: false };
}
