import type {
  DownloadFileResponse,
  FileReference,
  UploadedFile,
  UploadFileResponse,
} from '@daycare/contracts/agent-runtime';
import { DaycareError } from '../transport/daycare-error';
import type { Caller } from '../calls/caller';
import { newRequestId } from '../calls/request-id';
import type { Rpcs } from '../calls/rpc';
import type { CallOptions } from '../transport/transport';
import type { ChangeOptions } from './friends';
import { readPages } from './pages';

/** A file with its content. */
export interface DownloadedFile extends FileReference {
  readonly bytes: Uint8Array;
}

/** Files of the caller, to be attached to messages. At most 32 MiB each. */
export interface Files {
  upload(
    content: Uint8Array | Blob | string,
    file: { name: string; type?: string },
    options?: ChangeOptions,
  ): Promise<FileReference>;
  download(fileId: string, options?: CallOptions): Promise<DownloadedFile>;
  list(options?: CallOptions): AsyncIterable<UploadedFile>;
  delete(fileId: string, options?: ChangeOptions): Promise<void>;
}

const unknownType = 'application/octet-stream';

export function makeFiles({ agentRuntime }: Rpcs, caller: Caller): Files {
  return {
    async upload(content, { name, type = typeOf(content) }, options = {}) {
      const { requestId = newRequestId() } = options;
      const bytes = await bytesOf(content);
      const uploaded = await caller.upload({ requestId, name, type, bytes }, options);
      return present((uploaded as UploadFileResponse).file);
    },
    download: (fileId, options) => collect(agentRuntime.downloadFile({ fileId }, options)),
    list: (options) =>
      readPages(async (page) => {
        const { files, nextPageToken } = await agentRuntime.listFiles(page, options);
        return { items: files, nextPageToken };
      }),
    async delete(fileId, { requestId = newRequestId(), ...options } = {}) {
      await agentRuntime.deleteFile({ requestId, fileId }, options);
    },
  };
}

function typeOf(content: Uint8Array | Blob | string): string {
  if (typeof content === 'string') return 'text/plain';
  return content instanceof Blob && content.type !== '' ? content.type : unknownType;
}

async function bytesOf(content: Uint8Array | Blob | string): Promise<Uint8Array> {
  if (typeof content === 'string') return new TextEncoder().encode(content);
  return content instanceof Blob ? new Uint8Array(await content.arrayBuffer()) : content;
}

async function collect(parts: AsyncIterable<DownloadFileResponse>): Promise<DownloadedFile> {
  const chunks: Uint8Array[] = [];
  let file: FileReference | undefined;
  for await (const { part } of parts) {
    if (part?.$case === 'header') file = part.value.file;
    else if (part) chunks.push(part.value);
  }
  const bytes = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let position = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, position);
    position += chunk.length;
  }
  return { ...present(file), bytes };
}

function present(file: FileReference | undefined): FileReference {
  if (file) return file;
  throw new DaycareError({ code: 'INTERNAL', message: 'The answer has no file', details: {} });
}
