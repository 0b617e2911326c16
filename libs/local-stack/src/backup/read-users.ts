import { constants, type Dirent } from 'node:fs';
import { open, readdir, readlink, type FileHandle } from 'node:fs/promises';
import { BSON, Binary } from 'mongodb';

/** An entry of users' directories. A file is followed by its content in pieces; paths are bytes, as on disk. */
export type UserEntry =
  | { readonly kind: 'folder' | 'file'; readonly path: Binary; readonly mode: number }
  | { readonly kind: 'link'; readonly path: Binary; readonly target: Binary }
  | { readonly kind: 'piece'; readonly data: Binary };

/** Called with the path of a file or folder that could not be read, or not completely. */
export type OnUnread = (path: string) => void;

const pieceBytes = 1 << 20;
const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants;
const separator = Buffer.from('/');
/** Deeper than any folder that agents can make. */
const maxDepth = 512;

/**
 * Reads all directories of users as encoded entries. No link is followed, not even one that a user's program puts in
 * the place of a folder meanwhile: each folder is opened below the open folder that contains it. What disappears
 * meanwhile is left out, and so are sockets and devices. What cannot be read, for lack of permission or because of
 * the disk, is reported with its path: a user must not be able to prevent the backup of everybody else.
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

async function* readFolder(
  folder: FileHandle,
  path: Buffer,
  depth: number,
  onUnread: OnUnread,
): AsyncGenerator<Uint8Array> {
  const opened = Buffer.from(`/proc/self/fd/${folder.fd}`);
  const entries = await readdir(opened, { withFileTypes: true, encoding: 'buffer' });
  for (const entry of entries.sort((a, b) => Buffer.compare(a.name, b.name))) {
    const at = join(opened, entry.name);
    const inside = path.length === 0 ? entry.name : join(path, entry.name);
    const read = readEntry(entry, at, inside, depth, onUnread);
    yield* exceptUnread(read, () => onUnread(inside.toString()));
  }
}

async function* readEntry(
  entry: Dirent<Buffer>,
  at: Buffer,
  path: Buffer,
  depth: number,
  onUnread: OnUnread,
): AsyncGenerator<Uint8Array> {
  if (entry.isDirectory() && depth < maxDepth) yield* readSubfolder(at, path, depth + 1, onUnread);
  else if (entry.isFile()) yield* readFileAt(at, path);
  else if (entry.isSymbolicLink()) yield* readLinkAt(at, path);
}

/** Yields what can be read; only the rest of this entry is abandoned. */
async function* exceptUnread(
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
  at: Buffer,
  path: Buffer,
  depth: number,
  onUnread: OnUnread,
): AsyncGenerator<Uint8Array> {
  const folder = await openFolder(at);
  if (!folder) return;
  try {
    const { mode } = await folder.stat();
    yield encode({ kind: 'folder', path: new Binary(path), mode: mode & 0o777 });
    yield* readFolder(folder, path, depth, onUnread);
  } finally {
    await folder.close();
  }
}

async function* readFileAt(at: Buffer, path: Buffer): AsyncGenerator<Uint8Array> {
  const file = await openUnlessMissing(at, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
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

async function* readLinkAt(at: Buffer, path: Buffer): AsyncGenerator<Uint8Array> {
  const target = await readlink(at, { encoding: 'buffer' }).catch(undefinedIfMissing);
  if (target) yield encode({ kind: 'link', path: new Binary(path), target: new Binary(target) });
}

function openFolder(at: Buffer): Promise<FileHandle | undefined> {
  return openUnlessMissing(at, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
}

function openUnlessMissing(at: Buffer, flags: number): Promise<FileHandle | undefined> {
  return open(at, flags).catch(undefinedIfMissing);
}

/** Deleted meanwhile, or replaced by something else. */
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
