import type {
  DownloadFileResponse,
  UploadedFile as UploadedFileMessage,
  UploadFileRequest,
  UploadFileResponse,
} from '@daycare/contracts/agent-runtime';
import { invalidField } from '@daycare/api';
import { referenceTo, type StoredFile } from '../domain/stored-file';
import type { DownloadPart } from '../usecases/download-file';
import type { UploadedFile, UploadPart } from '../usecases/upload-file';

export async function* toUploadParts(
  requests: AsyncIterable<UploadFileRequest>,
): AsyncGenerator<UploadPart, void> {
  for await (const { part } of requests) yield toUploadPart(part);
}

function toUploadPart(part: UploadFileRequest['part']): UploadPart {
  switch (part?.$case) {
    case 'header':
      return { header: part.value };
    case 'chunk':
      return { chunk: part.value };
    case undefined:
      throw invalidField('part', 'is required');
  }
}

export function toUploadResponse({ file, sha256 }: UploadedFile): UploadFileResponse {
  return { file: { ...file }, sha256 };
}

export function toUploadedFile(stored: StoredFile): UploadedFileMessage {
  return { file: { ...referenceTo(stored) }, createdAt: stored.createdAt };
}

export async function* toDownloadResponses(
  parts: AsyncIterable<DownloadPart>,
): AsyncGenerator<DownloadFileResponse, void> {
  for await (const part of parts) yield toDownloadResponse(part);
}

function toDownloadResponse(part: DownloadPart): DownloadFileResponse {
  if ('chunk' in part) return { part: { $case: 'chunk', value: part.chunk } };
  const { file, sha256 } = part.header;
  return { part: { $case: 'header', value: { file: { ...file }, sha256 } } };
}
