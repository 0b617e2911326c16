import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { StoredFile } from '@daycare/client';
import { exitCodes } from '../../failure/exit-codes';
import { Failure } from '../../failure/failure';
import type { Session } from '../session';

export interface LocalFile {
  readonly name: string;
  /** The presumed type; empty when unknown. */
  readonly mimeType: string;
  readonly content: Buffer;
}

type FileSession = Pick<Session, 'daycare' | 'requestIds'>;

export function uploadFile(
  { daycare, requestIds }: FileSession,
  { name, mimeType: type, content }: LocalFile,
): Promise<StoredFile> {
  return daycare.files.upload(content, { name, type }, { requestId: requestIds.next() });
}

/** Uploads a file by its path. */
export async function uploadPath(session: FileSession, path: string): Promise<StoredFile> {
  const local = { name: basename(path), mimeType: '', content: await readLocalFile(path) };
  return uploadFile(session, local);
}

const idPattern = /^[a-z0-9]{20,32}$/;

/** Returns the id of a file to attach. Uploads a local file; returns an id unchanged if no local file has that name. */
export async function findUpload(session: FileSession, pathOrId: string): Promise<string> {
  const isLocal = await stat(pathOrId).then(
    (stats) => stats.isFile(),
    () => false,
  );
  if (!isLocal && idPattern.test(pathOrId)) return pathOrId;
  return (await uploadPath(session, pathOrId)).id;
}

export async function readLocalFile(path: string): Promise<Buffer> {
  return readFile(path).catch((error: unknown) => {
    throw new Failure(exitCodes.usage, `Cannot read ${path}: ${(error as Error).message}`);
  });
}
