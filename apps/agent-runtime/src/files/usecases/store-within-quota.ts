import { AppError } from '@daycare/api';
import type { FileDraft } from '../domain/stored-file';
import type { FileStore, WrittenFile } from '../store/file-store';
import { UploadMeter, type UploadQuota } from './upload-meter';

export interface StoreWithinQuotaDeps {
  readonly files: Pick<FileStore, 'write'>;
  readonly quota: UploadQuota;
}

/**
 * Stores a file as its chunks arrive, within its owner's quota. Space is reserved before anything is
 * stored. If storing fails, the space is returned only if it is certain that nothing was stored: if the
 * database failed at the end of an upload, the space stays reserved until the user's files are counted again.
 */
export async function storeWithinQuota(
  { files, quota }: StoreWithinQuotaDeps,
  draft: FileDraft,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<WrittenFile> {
  const meter = new UploadMeter(quota, draft.userId);
  try {
    const written = await files.write(draft, toAsync(chunks), (pieces) => meter.pass(pieces));
    await meter.settle(written.file.id === draft.id);
    return written;
  } catch (error) {
    if (error instanceof AppError || !meter.isComplete) await meter.settle(false);
    throw error;
  }
}

async function* toAsync(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  yield* chunks;
}
