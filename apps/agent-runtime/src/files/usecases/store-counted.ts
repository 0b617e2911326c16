import { AppError } from '@daycare/api';
import type { FileDraft } from '../domain/stored-file';
import type { FileStore, WrittenFile } from '../store/file-store';
import { UploadMeter, type UploadQuota } from './upload-meter';

export interface StoreCountedDeps {
  readonly files: Pick<FileStore, 'write'>;
  readonly quota: UploadQuota;
}

/**
 * Stores a file as its chunks arrive, within the quota of its owner. Room is reserved before anything is stored, and
 * returned only once it is certain that nothing was: if the database failed at the end of an upload, its room stays
 * reserved until it is counted again.
 */
export async function storeCounted(
  { files, quota }: StoreCountedDeps,
  draft: FileDraft,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<WrittenFile> {
  const meter = new UploadMeter(quota, draft.userId);
  try {
    const written = await files.write(draft, inOrder(chunks), (pieces) => meter.pass(pieces));
    await meter.settle(written.file.id === draft.id);
    return written;
  } catch (error) {
    if (error instanceof AppError || !meter.isComplete) await meter.settle(false);
    throw error;
  }
}

async function* inOrder(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  yield* chunks;
}
