import { createId } from '@daycare/api/create-id';
import type { Db } from 'mongodb';
import type { CollectionIndexes } from '@daycare/mongo';
import type { UserDataStore } from '@daycare/service-kit';
import { makeConverter } from './convert/converter';
import { FileCollector } from './store/file-collector';
import { fileIndexes, FileStore } from './store/file-store';
import { makeAttachFile } from './usecases/attach-file';
import { makeCollectFiles } from './usecases/collect-files';
import { makeDeleteFile } from './usecases/delete-file';
import { makeDownloadFile } from './usecases/download-file';
import { makeListFiles } from './usecases/list-files';
import { makeLoadImages } from './usecases/load-images';
import { makeReadAttachment } from './usecases/read-attachment';
import { makeReadFile } from './usecases/read-file';
import { makeUploadFile } from './usecases/upload-file';
import type { UploadQuota } from './usecases/upload-meter';

export const filesIndexes: readonly CollectionIndexes[] = fileIndexes;

export interface FilesDeps {
  readonly db: Db;
  readonly quota: UploadQuota;
  /** The path of the program that converts files. */
  readonly converterProgram: string;
  readonly log: { warn(fields: object, text: string): void };
  readonly now: () => Date;
}

export type Files = ReturnType<typeof buildFiles>;

/** The files that people attach to messages, and that agents attach to answers. */
export function buildFiles({ db, quota, converterProgram, log, now }: FilesDeps) {
  const files = new FileStore(db);
  const convert = makeConverter({ program: converterProgram, log });
  const userDataStores: readonly UserDataStore[] = [files];
  return {
    store: files,
    userDataStores,
    uploadFile: makeUploadFile({ files, quota, newId: createId, now }),
    listFiles: makeListFiles({ files }),
    deleteFile: makeDeleteFile({ files, quota, now }),
    downloadFile: makeDownloadFile({ files }),
    collectFiles: makeCollectFiles({ collector: new FileCollector(db), now }),
    loadImages: makeLoadImages({ files, convert }),
    readFile: makeReadFile({ files }),
    readAttachment: makeReadAttachment({ files, convert }),
    attachFile: makeAttachFile({ files, quota, newId: createId, now }),
  };
}
