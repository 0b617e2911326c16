import { AppError, FieldChecks } from '@daycare/errors';
import type { FileReference } from './history-record';

/** A file of one user, complete. */
export interface StoredFile extends FileReference {
  readonly userId: string;
  /** Lower-case hex. */
  readonly sha256: string;
  readonly createdAt: Date;
}

/** A file to be; what is missing is found while its content arrives. */
export interface FileDraft {
  readonly id: string;
  readonly userId: string;
  readonly name: string;
  /** The sender's belief. */
  readonly claimedType: string;
  /** What the content must be, in lower-case hex; empty when nothing was promised. */
  readonly promisedSha256: string;
  /** One file per user and key: a second upload under a key is answered with the first one's file. */
  readonly requestKey: string;
  readonly createdAt: Date;
}

export const mostFileBytes = 33_554_432;

export function referenceTo({ id, name, mimeType, size }: StoredFile): FileReference {
  return { id, name, mimeType, size };
}

/** To be asked with every piece, so that no more than the limit is ever read. */
export function requireFileSize(bytes: number): void {
  new FieldChecks()
    .require(bytes <= mostFileBytes, 'chunk', `must be at most ${mostFileBytes} bytes in total`)
    .done();
}

export function requireFileHash(promised: string, found: string): void {
  new FieldChecks()
    .require(promised === '' || promised === found, 'sha256', `does not match, got ${found}`)
    .done();
}

/** A request id stands for one name and one content. */
export function requireSameUpload(
  file: StoredFile,
  { name, sha256 }: Pick<StoredFile, 'name' | 'sha256'>,
): void {
  if (file.name === name && file.sha256 === sha256) return;
  throw new AppError('REQUEST_ID_REUSED', 'request_id was used before for another request');
}

/** What an upload hears whose pieces were collected as leftovers while it went on. */
export function uploadTooSlow(): AppError {
  return new AppError('DEADLINE_EXCEEDED', 'The upload took too long');
}
