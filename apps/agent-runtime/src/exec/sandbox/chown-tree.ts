import { lchown } from 'node:fs/promises';
import { eachFolder, entriesOf, errorCodeOf, type Pin } from '../../homes';

/**
 * Changes the owner of everything in a folder. Links are changed themselves, never followed, so a
 * program that changes the tree in the meantime gains nothing outside it.
 */
export async function chownTree(uid: number, top: Pin): Promise<void> {
  const visit = async (folder: Pin): Promise<Buffer[]> => {
    const inside: Buffer[] = [];
    for await (const { name, stats } of entriesOf(folder)) {
      if (stats.uid !== uid) await lchown(folder.at(name), uid, uid).catch(unlessDeleted);
      if (stats.isDirectory()) inside.push(name);
    }
    return inside;
  };
  await eachFolder(top, { visit });
}

function unlessDeleted(error: unknown): void {
  if (errorCodeOf(error) !== 'ENOENT') throw error;
}
