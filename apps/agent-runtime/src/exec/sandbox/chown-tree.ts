import { lchown } from 'node:fs/promises';
import { eachFolder, entriesOf, errorCodeOf, type Pin } from '../../homes';

/**
 * Changes the owner of everything in a folder. Changes symbolic links themselves instead of following them, so a
 * program that modifies the tree in the meantime cannot affect anything outside it.
 */
export async function chownTree(uid: number, top: Pin): Promise<void> {
  const visit = async (folder: Pin): Promise<Buffer[]> => {
    const inside: Buffer[] = [];
    for await (const { name, stats } of entriesOf(folder)) {
      if (stats.uid !== uid) await lchown(folder.at(name), uid, uid).catch(rethrowUnlessDeleted);
      if (stats.isDirectory()) inside.push(name);
    }
    return inside;
  };
  await eachFolder(top, { visit });
}

function rethrowUnlessDeleted(error: unknown): void {
  if (errorCodeOf(error) !== 'ENOENT') throw error;
}
