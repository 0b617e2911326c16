import { rmdir, unlink } from 'node:fs/promises';
import { AppError } from '@daycare/api';
import { addSizes, bytesCounted, noSize, type HomeSize } from '../domain/home-size';
import { emptyTree } from './delete-tree';
import { explainError } from './explain-error';
import { errorCodeOf, using, type Pin } from './pin';

export interface RemoveOptions {
  /** Whether a folder may be deleted with its contents; otherwise only an empty folder may be. */
  readonly recursive?: boolean;
}

/**
 * Deletes the entry with this name from a folder; a link is deleted itself, not its target. Returns the size of what
 * was deleted; undefined when there was no such entry. Can be interrupted and retried.
 */
export async function removeEntry(
  folder: Pin,
  name: string,
  { recursive = false }: RemoveOptions = {},
): Promise<HomeSize | undefined> {
  try {
    const inside = recursive ? await emptyIfFolder(folder, name) : noSize;
    const entry = await folder.statOf(name);
    if (!entry) return undefined;
    await (entry.isDirectory() ? rmdir(folder.at(name)) : unlink(folder.at(name)));
    const bytes = bytesCounted(entry.isDirectory() ? 0 : entry.size);
    return addSizes(inside, { bytes, entries: 1 });
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT') return undefined;
    if (recursive || errorCodeOf(error) !== 'ENOTEMPTY') throw explainError(error);
    const problem = `${JSON.stringify(name)} is not empty; delete its contents first, or call file_delete with recursive set to true`;
    throw new AppError('FAILED_PRECONDITION', problem);
  }
}

async function emptyIfFolder(folder: Pin, name: string): Promise<HomeSize> {
  const entry = await folder.enter(name);
  if (!entry) return noSize;
  return using(entry, async ({ isFolder }) => (isFolder ? emptyTree(entry) : noSize));
}
