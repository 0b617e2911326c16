import { constants } from 'node:fs';
import { lchown, mkdir, open, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCodeOf, Pin, using } from '../../homes';
import { chownTree } from './chown-tree';
import { userFolders } from './sandbox-command';

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = constants;

/**
 * Passes a user's folders as open descriptors, so that exactly these folders are mounted, even if something else has
 * taken their names by then. A link in place of a folder is refused. With `uid`, the folders are chowned to that
 * system user.
 */
export async function withUserFolders<T>(
  directory: string,
  uid: number | undefined,
  use: (folders: readonly FileHandle[]) => Promise<T>,
): Promise<T> {
  const opened: FileHandle[] = [];
  try {
    for (const folder of userFolders) opened.push(await openFolder(join(directory, folder)));
    if (uid !== undefined) await chownAll(directory, opened, uid);
    return await use(opened);
  } finally {
    await Promise.all(opened.map((handle) => handle.close()));
  }
}

async function openFolder(path: string): Promise<FileHandle> {
  await mkdir(path, 0o700).catch((error: unknown) => {
    if (errorCodeOf(error) !== 'EEXIST') throw error;
  });
  return open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
}

/** Also changes the owner of the directory itself, because bubblewrap, running as `uid`, reopens the folders. */
async function chownAll(
  directory: string,
  folders: readonly FileHandle[],
  uid: number,
): Promise<void> {
  await lchown(directory, uid, uid);
  for (const handle of folders) {
    await handle.chown(uid, uid);
    const folder = await Pin.root(`/proc/self/fd/${handle.fd}`);
    if (folder) await using(folder, () => chownTree(uid, folder));
  }
}
