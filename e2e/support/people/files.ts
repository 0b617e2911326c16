import { createId } from '@daycare/api/create-id';
import type {
  DownloadFileHeader,
  UploadFileHeader,
  UploadFileRequest,
  UploadFileResponse,
} from '@daycare/contracts/agent-runtime';
import type { Runtime } from '../clients/clients';
import type { Person } from './people';

const chunkBytes = 1_048_576;

/** Uploads bytes as a file with this name. */
export function upload(
  runtime: Runtime,
  { as }: Pick<Person, 'as'>,
  name: string,
  content: Buffer,
  headerFields: Partial<UploadFileHeader> = {},
): Promise<UploadFileResponse> {
  const header = { requestId: createId(), name, mimeType: '', sha256: '', ...headerFields };
  return runtime.uploadFile(partsOf(header, content), { ...as, timeoutMs: 30_000 });
}

async function* partsOf(
  header: UploadFileHeader,
  content: Buffer,
): AsyncGenerator<UploadFileRequest> {
  yield { part: { $case: 'header', value: header } };
  for (let offset = 0; offset < content.length; offset += chunkBytes)
    yield { part: { $case: 'chunk', value: content.subarray(offset, offset + chunkBytes) } };
}

/** Downloads a file; returns its header and all its bytes. */
export async function download(
  runtime: Runtime,
  { as }: Pick<Person, 'as'>,
  fileId: string,
): Promise<{ header: DownloadFileHeader | undefined; content: Buffer }> {
  let header: DownloadFileHeader | undefined;
  const chunks: Buffer[] = [];
  for await (const { part } of runtime.downloadFile({ fileId }, as)) {
    if (part?.$case === 'header') header = part.value;
    if (part?.$case === 'chunk') chunks.push(part.value);
  }
  return { header, content: Buffer.concat(chunks) };
}

/** Exports an agent; returns the exported files by name. */
export async function exportFiles(
  runtime: Runtime,
  { as }: Pick<Person, 'as'>,
  agentId: string,
): Promise<Record<string, string>> {
  const chunksOf: Record<string, Buffer[]> = {};
  for await (const { fileName, chunk } of runtime.exportAgent({ agentId }, as))
    (chunksOf[fileName] ??= []).push(chunk);
  const files = Object.entries(chunksOf).map(([name, chunks]) => [
    name,
    Buffer.concat(chunks).toString(),
  ]);
  return Object.fromEntries(files) as Record<string, string>;
}
