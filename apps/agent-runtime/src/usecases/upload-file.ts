import { AppError, FieldChecks } from '@daycare/errors';
import { checkFileName } from '../domain/file-name';
import type { FileReference } from '../domain/history-record';
import { referenceTo, requireSameUpload } from '../domain/stored-file';
import type { FileStore } from '../store/file-store';

export interface UploadFileDeps {
  readonly files: FileStore;
  readonly newId: () => string;
  readonly now: () => Date;
}

export interface UploadHeader {
  readonly requestId: string;
  readonly name: string;
  /** The sender's belief; may be empty. */
  readonly mimeType: string;
  /** Lower-case hex; empty when nothing is promised. */
  readonly sha256: string;
}

/** The header comes first and only first. */
export type UploadPart = { readonly header: UploadHeader } | { readonly chunk: Uint8Array };

export interface UploadFileCommand {
  readonly userId: string;
  readonly parts: AsyncIterable<UploadPart>;
}

export interface UploadedFile {
  readonly file: FileReference;
  readonly sha256: string;
}

const mostChunkBytes = 1_048_576;

/** Stores a file as its parts arrive, once per request id; a retry is answered with the first one's file. */
export function makeUploadFile({ files, newId, now }: UploadFileDeps) {
  return async ({ userId, parts }: UploadFileCommand): Promise<UploadedFile> => {
    const rest = parts[Symbol.asyncIterator]();
    try {
      const { requestId, name, mimeType, sha256 } = await readHeader(rest);
      const draft = { id: newId(), userId, name, requestKey: requestId, createdAt: now() };
      const claims = { claimedType: mimeType, promisedSha256: sha256 };
      const written = await files.write({ ...draft, ...claims }, readChunks(rest));
      requireSameUpload(written.file, { name, sha256: written.sha256 });
      return { file: referenceTo(written.file), sha256: written.sha256 };
    } finally {
      await rest.return?.();
    }
  };
}

async function readHeader(parts: AsyncIterator<UploadPart, unknown>): Promise<UploadHeader> {
  const first = await parts.next();
  if (first.done === true || !('header' in first.value)) throw headerMissing();
  const { header } = first.value;
  const isHash = header.sha256 === '' || /^[0-9a-f]{64}$/.test(header.sha256);
  checkFileName(new FieldChecks().requestId(header.requestId), header.name)
    .line(header.mimeType, 'mime_type', { min: 0, max: 255 })
    .require(isHash, 'sha256', 'must be 64 lower-case hexadecimal digits')
    .done();
  return header;
}

function headerMissing(): AppError {
  const violation = { field: 'header', description: 'must come first' };
  return new AppError('INVALID_ARGUMENT', 'header must come first', { fields: [violation] });
}

async function* readChunks(
  parts: AsyncIterator<UploadPart, unknown>,
): AsyncGenerator<Uint8Array, void> {
  for (let next = await parts.next(); next.done !== true; next = await parts.next()) {
    yield chunkOf(next.value);
  }
}

function chunkOf(part: UploadPart): Uint8Array {
  const chunk = 'chunk' in part ? part.chunk : new Uint8Array();
  new FieldChecks()
    .require('chunk' in part, 'header', 'must come only once')
    .require(chunk.length <= mostChunkBytes, 'chunk', `must be at most ${mostChunkBytes} bytes`)
    .done();
  return chunk;
}
