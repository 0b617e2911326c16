import type {
  DownloadFileHeader,
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

/** A file with its checksum. */
export interface StoredFile extends FileReference {
  /** In hex. */
  readonly sha256: string;
}

/** A file with its content. */
export interface DownloadedFile extends StoredFile {
  readonly bytes: Uint8Array;
}

/**
 * The caller's files, for attaching to messages; at most 32 MiB each. Transfers are verified by checksum where the
 * platform can compute one.
 */
export interface Files {
  upload(
    content: Uint8Array | Blob | string,
    file: { name: string; type?: string },
    options?: ChangeOptions,
  ): Promise<StoredFile>;
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
      const file = { requestId, name, type, bytes, sha256: (await sha256Of(bytes)) ?? '' };
      const uploaded = (await caller.upload(file, options)) as UploadFileResponse;
      return { ...requireFile(uploaded.file), sha256: uploaded.sha256 };
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

async function bytesOf(content: Uint8Array | Blob | string): Promise<Uint8Array<ArrayBuffer>> {
  if (typeof content === 'string') return Uint8Array.from(new TextEncoder().encode(content));
  if (content instanceof Blob) return new Uint8Array(await content.arrayBuffer());
  // Memory shared between threads can be neither hashed nor sent, so it is copied.
  return content.buffer instanceof ArrayBuffer
    ? (content as Uint8Array<ArrayBuffer>)
    : content.slice();
}

async function collect(parts: AsyncIterable<DownloadFileResponse>): Promise<DownloadedFile> {
  const chunks: Uint8Array[] = [];
  let header: DownloadFileHeader | undefined;
  for await (const { part } of parts) {
    if (part?.$case === 'header') header = part.value;
    else if (part) chunks.push(part.value);
  }
  const bytes = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let position = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, position);
    position += chunk.length;
  }
  const { sha256 = '' } = header ?? {};
  if (((await sha256Of(bytes)) ?? sha256) !== sha256) throw corrupted();
  return { ...requireFile(header?.file), sha256, bytes };
}

/**
 * Returns the checksum in hex; undefined where the platform cannot compute it, as in browsers on insecure pages.
 */
async function sha256Of(bytes: Uint8Array<ArrayBuffer>): Promise<string | undefined> {
  const { subtle } = crypto as Partial<typeof crypto>;
  const digest = await subtle?.digest('SHA-256', bytes);
  if (!digest) return undefined;
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function corrupted(): DaycareError {
  const message = 'The download is corrupted: its checksum does not match. Try again.';
  return new DaycareError({ code: 'INTERNAL', message, details: {} });
}

function requireFile(file: FileReference | undefined): FileReference {
  if (file) return file;
  throw new DaycareError({ code: 'INTERNAL', message: 'The response has no file', details: {} });
}
