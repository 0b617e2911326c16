import { AppError, FieldChecks, requestIdReused, type Trust } from '@daycare/api';
import type { AttachedFile, FileReference } from '../../agents';
import type { FilePreview } from './file-preview';

/** A complete file of one user. */
export interface StoredFile extends FileReference {
  readonly userId: string;
  /** Lower-case hex. */
  readonly sha256: string;
  readonly createdAt: Date;
  readonly preview?: FilePreview;
  /**
   * The lower of the trust of the file's author and of the turn that stored it; absent when both are the user's own.
   */
  readonly writtenBy?: Trust;
}

/** A file being uploaded; the remaining fields are derived from its content. */
export interface FileDraft {
  readonly id: string;
  readonly userId: string;
  readonly name: string;
  /** As claimed by the sender. */
  readonly claimedType: string;
  /** The expected content hash in lower-case hex; empty when none was given. */
  readonly promisedSha256: string;
  /** One file per user and key: a second upload with the same key returns the first file. */
  readonly requestKey: string;
  readonly createdAt: Date;
  /**
   * The lower of the trust of the file's author and of the turn that stores it; absent when both are the user's own.
   */
  readonly writtenBy?: Trust;
}

export const maxFileBytes = 33_554_432;

export function referenceTo({ id, name, mimeType, size }: StoredFile): FileReference {
  return { id, name, mimeType, size };
}

/** Returns a file in the form in which it is attached to messages. */
export function attachmentOf(file: StoredFile): AttachedFile {
  const { preview = {}, writtenBy } = file;
  return { ...referenceTo(file), ...preview, ...(writtenBy ? { writtenBy } : {}) };
}

/** Checked with every chunk, so that reading stops at the first chunk that exceeds the limit. */
export function requireFileSize(bytes: number): void {
  new FieldChecks()
    .require(bytes <= maxFileBytes, 'chunk', `makes the file larger than ${maxFileBytes} bytes`)
    .done();
}

export function requireFileHash(promised: string, actual: string): void {
  new FieldChecks()
    .require(
      promised === '' || promised === actual,
      'sha256',
      `does not match the content, whose SHA-256 is ${actual}`,
    )
    .done();
}

/** Refuses a request id that was used for another name or other content. */
export function requireSameUpload(
  file: StoredFile,
  { name, sha256 }: Pick<StoredFile, 'name' | 'sha256'>,
): void {
  if (file.name === name && file.sha256 === sha256) return;
  throw requestIdReused();
}

/** Returns the error for an upload whose chunks were deleted as leftovers while it was still running. */
export function uploadTooSlow(): AppError {
  return new AppError('DEADLINE_EXCEEDED', 'The upload took too long');
}
