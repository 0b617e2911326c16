import { createId } from '@paralleldrive/cuid2';
import type { Db } from 'mongodb';
import type { CollectionIndexes } from '@daycare/mongo';
import type { UserDataStore } from '@daycare/service-kit';
import { fileIndexes, FileStore } from './store/file-store';
import { makeCollectFiles } from './usecases/collect-files';
import { makeDeleteFile } from './usecases/delete-file';
import { makeDownloadFile } from './usecases/download-file';
import { makeListFiles } from './usecases/list-files';
import { makeUploadFile } from './usecases/upload-file';
import type { UploadQuota } from './usecases/upload-meter';

export const filesIndexes: readonly CollectionIndexes[] = fileIndexes;

export interface FilesDeps {
  readonly db: Db;
  readonly quota: UploadQuota;
  readonly now: () => Date;
}

export type Files = ReturnType<typeof buildFiles>;

/** The files that people attach to messages. */
export function buildFiles({ db, quota, now }: FilesDeps) {
  const files = new FileStore(db);
  const userDataStores: readonly UserDataStore[] = [files];
  return {
    store: files,
    userDataStores,
    uploadFile: makeUploadFile({ files, quota, newId: createId, now }),
    listFiles: makeListFiles({ files }),
    deleteFile: makeDeleteFile({ files, quota, now }),
    downloadFile: makeDownloadFile({ files }),
    collectFiles: makeCollectFiles({ files, now }),
  };
}
