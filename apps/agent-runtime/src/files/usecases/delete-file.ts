import { FieldChecks, notFound } from '@daycare/api';
import type { FileStore } from '../store/file-store';
import type { UploadQuota } from './upload-meter';

export interface DeleteFileDeps {
  readonly files: FileStore;
  readonly quota: Pick<UploadQuota, 'recount'>;
  readonly now: () => Date;
}

export interface DeleteFileCommand {
  readonly userId: string;
  readonly requestId: string;
  readonly fileId: string;
}

/** Deletes an uploaded or attached file permanently, even if messages still refer to it. */
export function makeDeleteFile({ files, quota, now }: DeleteFileDeps) {
  return async ({ userId, requestId, fileId }: DeleteFileCommand): Promise<void> => {
    new FieldChecks().requestId(requestId).id(fileId, 'file_id').done();
    const deletion = { deletedByRequest: requestId, deletedAt: now() };
    if (!(await files.delete(userId, fileId, deletion))) throw notFound('file');
    await quota.recount(userId);
  };
}
