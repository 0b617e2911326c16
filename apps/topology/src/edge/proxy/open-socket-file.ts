import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = constants;
/** Linux's O_PATH, which Node does not export: a handle to any entry, even a socket. */
const O_PATH = 0o10000000;

/**
 * Opens a socket below a directory one path segment at a time, each through its parent's handle, so no link below that
 * directory is followed, and nothing that is moved or replaced in the meantime can redirect the lookup. The caller
 * closes the returned handle.
 */
export async function openSocketFile(root: string, names: readonly string[]): Promise<FileHandle> {
  let directory = await open(root, O_RDONLY | O_DIRECTORY);
  try {
    for (const name of names.slice(0, -1)) {
      const next = await open(pathInside(directory, name), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
      await directory.close();
      directory = next;
    }
    return await openSocket(directory, names.at(-1) ?? '');
  } finally {
    await directory.close();
  }
}

/** Returns a path to an open file, which is short however long the file's real path is. */
export function pathOf({ fd }: FileHandle): string {
  return `/proc/self/fd/${fd}`;
}

async function openSocket(directory: FileHandle, name: string): Promise<FileHandle> {
  const file = await open(pathInside(directory, name), O_PATH | O_NOFOLLOW);
  try {
    const [socket, parent] = await Promise.all([file.stat(), directory.stat()]);
    if (!socket.isSocket()) throw new Error('not a socket');
    if (socket.uid !== parent.uid) throw new Error('the socket belongs to another user');
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

function pathInside(directory: FileHandle, name: string): string {
  return `${pathOf(directory)}/${name}`;
}
