export { checkFileName } from './domain/file-name';
export { decodeText } from './domain/text-type';
export { maxAttachedBytes } from './usecases/attach-file';
export type { UploadQuota } from './usecases/upload-meter';
export type { Files } from './build';
