import { rename, rmdir, unlink } from 'node:fs/promises';
import { createId } from '@paralleldrive/cuid2';
import { entriesOf, unlock, type Entry } from './entries';
import { errorCodeOf, using, type Pin } from './pin';

// A program that goes on writing must not keep this from ever ending.
const mostRounds = 10_000;

/**
 * Empties a folder without following a link. However deep it is, few entries are held at once: what is
 * in a folder is moved to the top, until there is nothing left. May be cut off and repeated.
 */
export async function emptyTree(top: Pin): Promise<void> {
  await unlock(top);
  for (let round = 0; round < mostRounds; round++) {
    const count = await eachEntry(top, (entry) => removeFrom(top, entry, top));
    if (count === 0) return;
  }
  throw new Error('a directory is being filled while it is deleted');
}

async function removeFrom(parent: Pin, entry: Entry, top: Pin): Promise<void> {
  if (!entry.stats.isDirectory()) return unlessGone(unlink(parent.at(entry.name)));
  const folder = await parent.enter(entry.name);
  if (folder) await using(folder, () => flatten(folder, top));
  await unlessGone(rmdir(parent.at(entry.name)));
}

async function flatten(folder: Pin, top: Pin): Promise<void> {
  if (!folder.isFolder) return;
  await unlock(folder);
  await eachEntry(folder, ({ name, stats }) =>
    stats.isDirectory() ? lift(folder, name, top) : unlessGone(unlink(folder.at(name))),
  );
}

async function lift(parent: Pin, name: Buffer, top: Pin): Promise<void> {
  const folder = await parent.enter(name);
  if (!folder) return;
  // A folder that may not be written to cannot be moved either.
  await using(folder, async ({ isFolder }) => (isFolder ? unlock(folder) : undefined));
  await unlessGone(rename(parent.at(name), top.at(createId())));
}

async function eachEntry(folder: Pin, use: (entry: Entry) => Promise<void>): Promise<number> {
  let count = 0;
  for await (const entry of entriesOf(folder)) {
    await use(entry);
    count++;
  }
  return count;
}

/** Somebody else removed it, or put something into it or in its place: the next round sees. */
async function unlessGone(removed: Promise<void>): Promise<void> {
  await removed.catch((error: unknown) => {
    const passing = ['ENOENT', 'ENOTDIR', 'ENOTEMPTY', 'EEXIST', 'EISDIR'];
    if (!passing.includes(errorCodeOf(error) ?? '')) throw error;
  });
}
