import { FieldChecks, invalidField } from '@daycare/api';
import { checkFileName } from '../domain/file-name';
import type { FileReference } from '../../agents';
import { referenceTo, requireSameUpload } from '../domain/stored-file';
import { storeWithinQuota, type StoreWithinQuotaDeps } from './store-within-quota';

export interface UploadFileDeps extends StoreWithinQuotaDeps {
  readonly newId: () => string;
  readonly now: () => Date;
}

export interface UploadHeader {
  readonly requestId: string;
  readonly name: string;
  /** As claimed by the sender; may be empty. */
  readonly mimeType: string;
  /** Lower-case hex; empty when not given. */
  readonly sha256: string;
}

/** The header comes first, exactly once. */
export type UploadPart = { readonly header: UploadHeader } | { readonly chunk: Uint8Array };

export interface UploadFileCommand {
  readonly userId: string;
  readonly parts: AsyncIterable<UploadPart>;
}

export interface UploadedFile {
  readonly file: FileReference;
  readonly sha256: string;
}

const maxChunkBytes = 1_048_576;

/** Stores a file while its parts arrive, once per request id; a retry returns the file that is already stored. */
export function makeUploadFile({ files, quota, newId, now }: UploadFileDeps) {
  return async ({ userId, parts }: UploadFileCommand): Promise<UploadedFile> => {
    const arriving = parts[Symbol.asyncIterator]();
    try {
      const { requestId, name, mimeType, sha256 } = await readHeader(arriving);
      const draft = { id: newId(), userId, name, requestKey: requestId, createdAt: now() };
      const claims = { claimedType: mimeType, promisedSha256: sha256 };
      const written = await storeWithinQuota(
        { files, quota },
        { ...draft, ...claims },
        readChunks(arriving),
      );
      requireSameUpload(written.file, { name, sha256: written.sha256 });
      return { file: referenceTo(written.file), sha256: written.sha256 };
    } finally {
      await arriving.return?.();
    }
  };
}

async function readHeader(parts: AsyncIterator<UploadPart, unknown>): Promise<UploadHeader> {
  const first = await parts.next();
  if (first.done === true || !('header' in first.value))
    throw invalidField('header', 'must be sent first');
  const { header } = first.value;
  const isEmptyOrHash = header.sha256 === '' || /^[0-9a-f]{64}$/.test(header.sha256);
  checkFileName(new FieldChecks().requestId(header.requestId), header.name)
    .line(header.mimeType, 'mime_type', { min: 0, max: 255 })
    .require(isEmptyOrHash, 'sha256', 'must be 64 lower-case hexadecimal digits')
    .done();
  return header;
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
    .require('chunk' in part, 'header', 'must be sent only once')
    .require(chunk.length <= maxChunkBytes, 'chunk', `must be at most ${maxChunkBytes} bytes`)
    .done();
  return chunk;
}
