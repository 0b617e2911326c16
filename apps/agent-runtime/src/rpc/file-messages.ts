import type {
  DownloadFileResponse,
  UploadFileRequest,
  UploadFileResponse,
} from '@daycare/contracts/agent-runtime';
import { AppError } from '@daycare/errors';
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
      throw new AppError('INVALID_ARGUMENT', 'part is required', {
        fields: [{ field: 'part', description: 'is required' }],
      });
  }
}

export function toUploadResponse({ file, sha256 }: UploadedFile): UploadFileResponse {
  return { file: { ...file }, sha256 };
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
