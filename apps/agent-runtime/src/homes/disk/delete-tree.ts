import { rmdir, unlink } from 'node:fs/promises';
import { AppError } from '@daycare/api';
import { addSizes, bytesCounted, noSize, type HomeSize } from '../domain/home-size';
import { eachFolder } from './each-folder';
import { entriesOf, unlock } from './entries';
import { errorCodeOf, type Pin } from './pin';

// A program that keeps writing must not make this run forever.
const maxRounds = 1_000;

/**
 * Empties a folder of any depth without following links. Can be interrupted and retried. Returns the size of what it
 * deleted.
 */
export async function emptyTree(top: Pin): Promise<HomeSize> {
  let removed = noSize;
  for (let round = 0; round < maxRounds; round++) {
    removed = addSizes(removed, await removeAll(top));
    if (await isEmpty(top)) return removed;
  }
  throw new AppError(
    'CONFLICT',
    'Files are being added to the folder while it is being deleted; try again',
  );
}

async function removeAll(top: Pin): Promise<HomeSize> {
  let removed = noSize;
  const count = async (removal: Promise<void>, size: number): Promise<void> => {
    if (!(await isDone(removal))) return;
    removed = addSizes(removed, { bytes: bytesCounted(size), entries: 1 });
  };
  const visit = async (folder: Pin): Promise<Buffer[]> => {
    await unlock(folder);
    const subfolders: Buffer[] = [];
    for await (const { name, stats } of entriesOf(folder)) {
      if (stats.isDirectory()) subfolders.push(name);
      else await count(unlink(folder.at(name)), stats.size);
    }
    return subfolders;
  };
  await eachFolder(top, { visit, onVisited: (parent, name) => count(rmdir(parent.at(name)), 0) });
  return removed;
}

async function isEmpty(folder: Pin): Promise<boolean> {
  for await (const name of folder.names()) if (name.length > 0) return false;
  return true;
}

/**
 * Returns false when another process deleted the entry, put something into it or replaced it; the next round handles
 * that.
 */
async function isDone(removal: Promise<void>): Promise<boolean> {
  return removal.then(
    () => true,
    (error: unknown) => {
      const expectedCodes = ['ENOENT', 'ENOTDIR', 'ENOTEMPTY', 'EEXIST', 'EISDIR'];
      if (!expectedCodes.includes(errorCodeOf(error) ?? '')) throw error;
      return false;
    },
  );
}
