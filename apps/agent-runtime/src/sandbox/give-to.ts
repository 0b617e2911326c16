import { lchown } from 'node:fs/promises';
import { eachFolder } from '../home/each-folder';
import { entriesOf } from '../home/entries';
import { errorCodeOf, type Pin } from '../home/pin';

/**
 * Makes everything in a folder somebody's. Links are given away themselves, never followed, so that a
 * program that changes the tree meanwhile gets nothing but what is in it.
 */
export async function giveTo(uid: number, top: Pin): Promise<void> {
  const visit = async (folder: Pin): Promise<Buffer[]> => {
    const inside: Buffer[] = [];
    for await (const { name, stats } of entriesOf(folder)) {
      if (stats.uid !== uid) await lchown(folder.at(name), uid, uid).catch(unlessGone);
      if (stats.isDirectory()) inside.push(name);
    }
    return inside;
  };
  await eachFolder(top, { visit });
}

function unlessGone(error: unknown): void {
  if (errorCodeOf(error) !== 'ENOENT') throw error;
}
