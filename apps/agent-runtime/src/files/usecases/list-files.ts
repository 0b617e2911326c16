import { encodePageToken, FieldChecks, isTime, readPageToken, type PageCursor } from '@daycare/api';
import type { StoredFile } from '../domain/stored-file';
import type { FileStore } from '../store/file-store';

export interface ListFilesCommand {
  readonly userId: string;
  readonly pageSize: number;
  readonly pageToken: string;
}

/** Lists the user's uploads, newest first. */
export function makeListFiles({ files }: { readonly files: FileStore }) {
  return async ({
    userId,
    ...page
  }: ListFilesCommand): Promise<{ files: readonly StoredFile[]; nextPageToken: string }> => {
    const checks = new FieldChecks();
    const limit = checks.pageSize(page.pageSize);
    const after = readPageToken(page.pageToken, checks, readCursor);
    checks.done();
    const found = await files.list(userId, after, limit + 1);
    const shown = found.slice(0, limit);
    const last = found.length > limit ? shown.at(-1) : undefined;
    const nextPageToken = last ? encodePageToken([last.createdAt.getTime(), last.id]) : '';
    return { files: shown, nextPageToken };
  };
}

function readCursor(cursor: PageCursor): { createdAt: Date; id: string } | undefined {
  const [ms, id, ...rest] = cursor;
  const isPosition = isTime(ms) && typeof id === 'string' && rest.length === 0;
  return isPosition ? { createdAt: new Date(ms), id } : undefined;
}
