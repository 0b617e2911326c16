export { decodeText } from './domain/text-type';
export type { UploadQuota } from './usecases/upload-meter';
export type { Files } from './build';
