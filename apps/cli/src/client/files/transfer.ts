import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { FileReference, UploadFileRequest } from '@daycare/contracts/agent-runtime';
import { exitCodes } from '../../failure/exit-codes';
import { Failure } from '../../failure/failure';
import type { Session } from '../session';

const chunkBytes = 256 * 1024;
const transferTimeoutMs = 120_000;

export interface LocalFile {
  readonly name: string;
  /** As expected; empty when unknown. */
  readonly mimeType: string;
  readonly content: Buffer;
}

export interface TransferredFile {
  readonly file: FileReference;
  readonly sha256: string;
}

type FileSession = Pick<Session, 'runtime' | 'requestIds'>;

export async function uploadFile(
  { runtime, requestIds }: FileSession,
  { name, mimeType, content }: LocalFile,
): Promise<TransferredFile> {
  const requestId = requestIds.next();
  const header = { requestId, name, mimeType, sha256: hashOf(content) };
  const { file, sha256 } = await runtime.uploadFile(partsOf(header, content), {
    timeoutMs: transferTimeoutMs,
  });
  if (!file) throw new Failure(exitCodes.failure, 'The service did not return the file.');
  return { file, sha256 };
}

/** Uploads a file by its path. */
export async function uploadPath(session: FileSession, path: string): Promise<FileReference> {
  const local = { name: basename(path), mimeType: '', content: await readLocal(path) };
  return (await uploadFile(session, local)).file;
}

const idPattern = /^[a-z0-9]{20,32}$/;

/** The id of a file to attach: uploads the file at a path, unless there is none and it is an id. */
export async function findUpload(session: FileSession, pathOrId: string): Promise<string> {
  const isLocal = await stat(pathOrId).then(
    (found) => found.isFile(),
    () => false,
  );
  if (!isLocal && idPattern.test(pathOrId)) return pathOrId;
  return (await uploadPath(session, pathOrId)).id;
}

/** All of a file, checked against its hash. */
export async function downloadFile(
  { runtime }: Pick<Session, 'runtime'>,
  fileId: string,
): Promise<TransferredFile & { readonly content: Buffer }> {
  let header: { file?: FileReference | undefined; sha256: string } | undefined;
  const chunks: Buffer[] = [];
  const parts = runtime.downloadFile({ fileId }, { timeoutMs: transferTimeoutMs });
  for await (const { part } of parts) {
    if (part?.$case === 'header') header = part.value;
    else if (part) chunks.push(part.value);
  }
  const content = Buffer.concat(chunks);
  if (!header?.file || hashOf(content) !== header.sha256)
    throw new Failure(
      exitCodes.failure,
      'The download is corrupted: its checksum does not match. Try again.',
    );
  return { file: header.file, sha256: header.sha256, content };
}

export async function readLocal(path: string): Promise<Buffer> {
  return readFile(path).catch((error: unknown) => {
    throw new Failure(exitCodes.usage, `Cannot read ${path}: ${(error as Error).message}`);
  });
}

async function* partsOf(
  header: { requestId: string; name: string; mimeType: string; sha256: string },
  content: Buffer,
): AsyncGenerator<UploadFileRequest> {
  yield { part: { $case: 'header', value: header } };
  for (let at = 0; at < content.length; at += chunkBytes)
    yield { part: { $case: 'chunk', value: content.subarray(at, at + chunkBytes) } };
}

function hashOf(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
