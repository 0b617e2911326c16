import { notFound } from '@daycare/api';
import type { StoredFile } from '../domain/stored-file';
import type { FileStore } from '../store/file-store';

export interface WholeFile {
  readonly file: StoredFile;
  readonly content: Buffer;
}

/** Reads a user's file as a whole; no file is larger than 32 MiB. */
export function makeReadFile({ files }: { readonly files: Pick<FileStore, 'open'> }) {
  return async (userId: string, fileId: string): Promise<WholeFile> => {
    const found = await files.open(userId, fileId);
    if (!found) throw notFound('attachment');
    const chunks: Buffer[] = [];
    for await (const chunk of found.chunks) chunks.push(chunk);
    return { file: found.file, content: Buffer.concat(chunks) };
  };
}
