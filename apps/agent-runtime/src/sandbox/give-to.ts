import { lchown } from 'node:fs/promises';
import { entriesOf } from '../home/entries';
import { errorCodeOf, using, type Pin } from '../home/pin';

const mostDepth = 256;

/**
 * Makes everything in a folder somebody's. Links are given away themselves, never followed, so that a
 * program that changes the tree meanwhile gets nothing but what is in it.
 */
export async function giveTo(uid: number, folder: Pin, depth = 0): Promise<void> {
  if (depth > mostDepth) return;
  for await (const { name, stats } of entriesOf(folder)) {
    if (stats.uid !== uid) await lchown(folder.at(name), uid, uid).catch(unlessGone);
    const inner = stats.isDirectory() ? await folder.enter(name) : undefined;
    if (inner) await using(inner, async () => inner.isFolder && giveTo(uid, inner, depth + 1));
  }
}

function unlessGone(error: unknown): void {
  if (errorCodeOf(error) !== 'ENOENT') throw error;
}
