import { constants, type Dirent } from 'node:fs';
import { open, readdir, readlink, type FileHandle } from 'node:fs/promises';
import { BSON, Binary } from 'mongodb';

/**
 * An entry in users' directories. A file is followed by the pieces of its content; paths are bytes, as on disk.
 */
export type UserEntry =
  | { readonly kind: 'folder' | 'file'; readonly path: Binary; readonly mode: number }
  | { readonly kind: 'link'; readonly path: Binary; readonly target: Binary }
  | { readonly kind: 'piece'; readonly data: Binary };

/** Called with the path of a file or folder that could not be read completely or at all. */
export type OnUnread = (path: string) => void;

const pieceBytes = 1 << 20;
const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants;
const separator = Buffer.from('/');
/** Folders nested more deeply are not read, because each level of nesting keeps one more folder open. */
const maxDepth = 512;

/**
 * Reads all users' directories as encoded entries. Follows no symbolic link, not even if a user's program replaces a
 * folder with one during the backup, because each folder is opened relative to its open parent. Leaves out sockets,
 * devices, and whatever is deleted during the backup. A file or folder that cannot be read (no permission, disk error,
 * nested too deeply) is reported to `onUnread` and does not stop the backup, because no user must be able to prevent
 * everybody else's backup.
 */
export async function* readUsers(usersDir: string, onUnread: OnUnread): AsyncGenerator<Uint8Array> {
  const root = await openFolder(Buffer.from(usersDir));
  if (!root) return;
  try {
    yield* readFolder(root, Buffer.alloc(0), 0, onUnread);
  } finally {
    await root.close();
  }
}

/** Reads what is in a folder; `path` is the folder's path relative to `usersDir`. */
async function* readFolder(
  folder: FileHandle,
  path: Buffer,
  depth: number,
  onUnread: OnUnread,
): AsyncGenerator<Uint8Array> {
  const folderPath = Buffer.from(`/proc/self/fd/${folder.fd}`);
  const entries = await readdir(folderPath, { withFileTypes: true, encoding: 'buffer' });
  for (const entry of entries.sort((a, b) => Buffer.compare(a.name, b.name))) {
    const openPath = join(folderPath, entry.name);
    const relativePath = path.length === 0 ? entry.name : join(path, entry.name);
    const read = readEntry(entry, openPath, relativePath, depth, onUnread);
    yield* skipUnreadable(read, () => onUnread(relativePath.toString()));
  }
}

/** Reads one entry: opens it at `openPath`; `path` is what the backup stores. */
async function* readEntry(
  entry: Dirent<Buffer>,
  openPath: Buffer,
  path: Buffer,
  depth: number,
  onUnread: OnUnread,
): AsyncGenerator<Uint8Array> {
  if (entry.isDirectory() && depth >= maxDepth) onUnread(path.toString());
  else if (entry.isDirectory()) yield* readSubfolder(openPath, path, depth + 1, onUnread);
  else if (entry.isFile()) yield* readFileAt(openPath, path);
  else if (entry.isSymbolicLink()) yield* readLinkAt(openPath, path);
}

/**
 * Yields what can be read of an entry; after a permission or disk error, reports the entry and leaves out the rest of
 * it.
 */
async function* skipUnreadable(
  entries: AsyncIterable<Uint8Array>,
  onUnread: () => void,
): AsyncGenerator<Uint8Array> {
  try {
    yield* entries;
  } catch (error) {
    if (!['EACCES', 'EPERM', 'EIO', 'ESTALE'].includes(codeOf(error))) throw error;
    onUnread();
  }
}

async function* readSubfolder(
  openPath: Buffer,
  path: Buffer,
  depth: number,
  onUnread: OnUnread,
): AsyncGenerator<Uint8Array> {
  const folder = await openFolder(openPath);
  if (!folder) return;
  try {
    const { mode } = await folder.stat();
    yield encode({ kind: 'folder', path: new Binary(path), mode: mode & 0o777 });
    yield* readFolder(folder, path, depth, onUnread);
  } finally {
    await folder.close();
  }
}

async function* readFileAt(openPath: Buffer, path: Buffer): AsyncGenerator<Uint8Array> {
  const file = await openUnlessMissing(openPath, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  if (!file) return;
  try {
    const stat = await file.stat();
    if (!stat.isFile()) return;
    yield encode({ kind: 'file', path: new Binary(path), mode: stat.mode & 0o777 });
    const buffer = Buffer.alloc(pieceBytes);
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, pieceBytes);
      if (bytesRead === 0) return;
      yield encode({ kind: 'piece', data: new Binary(buffer.subarray(0, bytesRead)) });
    }
  } finally {
    await file.close();
  }
}

async function* readLinkAt(openPath: Buffer, path: Buffer): AsyncGenerator<Uint8Array> {
  const target = await readlink(openPath, { encoding: 'buffer' }).catch(undefinedIfMissing);
  if (target) yield encode({ kind: 'link', path: new Binary(path), target: new Binary(target) });
}

function openFolder(openPath: Buffer): Promise<FileHandle | undefined> {
  return openUnlessMissing(openPath, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
}

function openUnlessMissing(openPath: Buffer, flags: number): Promise<FileHandle | undefined> {
  return open(openPath, flags).catch(undefinedIfMissing);
}

/** Returns undefined if an entry has just been deleted or replaced by something else; rethrows any other error. */
function undefinedIfMissing(error: unknown): undefined {
  if (!['ENOENT', 'ELOOP', 'ENOTDIR', 'EINVAL', 'ENXIO'].includes(codeOf(error))) throw error;
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? '';
}

function join(folder: Buffer, name: Buffer): Buffer {
  return Buffer.concat([folder, separator, name]);
}

function encode(entry: UserEntry): Uint8Array {
  return BSON.serialize(entry);
}
