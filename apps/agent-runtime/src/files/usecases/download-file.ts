import { FieldChecks, notFound } from '@daycare/api';
import type { FileReference } from '../../agents';
import { referenceTo } from '../domain/stored-file';
import type { FileStore } from '../store/file-store';

/** The header comes first, exactly once; chunks are at most 256 KiB. */
export type DownloadPart =
  | { readonly header: { readonly file: FileReference; readonly sha256: string } }
  | { readonly chunk: Buffer };

/** Streams one of the user's files; another user's file is not found, like one that never existed. */
export function makeDownloadFile({ files }: { readonly files: FileStore }) {
  return async function* (userId: string, fileId: string): AsyncGenerator<DownloadPart, void> {
    new FieldChecks().id(fileId, 'file_id').done();
    const found = await files.open(userId, fileId);
    if (!found) throw notFound('file');
    yield { header: { file: referenceTo(found.file), sha256: found.file.sha256 } };
    for await (const chunk of found.chunks) yield { chunk };
  };
}
