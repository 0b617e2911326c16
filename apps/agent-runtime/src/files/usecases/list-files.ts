import { FieldChecks, pageTokenAfter, readTimePage } from '@daycare/api';
import type { StoredFile } from '../domain/stored-file';
import type { FileStore } from '../store/file-store';

export interface ListFilesCommand {
  readonly userId: string;
  readonly pageSize: number;
  readonly pageToken: string;
}

/** Lists the files that the user has uploaded and that the user's agents have attached to answers, newest first. */
export function makeListFiles({ files }: { readonly files: FileStore }) {
  return async ({
    userId,
    ...page
  }: ListFilesCommand): Promise<{ files: readonly StoredFile[]; nextPageToken: string }> => {
    const checks = new FieldChecks();
    const { limit, after } = readTimePage(page, checks);
    checks.done();
    const found = await files.list(userId, after, limit + 1);
    const shown = found.slice(0, limit);
    const last = found.length > limit ? shown.at(-1) : undefined;
    return { files: shown, nextPageToken: pageTokenAfter(last) };
  };
}
