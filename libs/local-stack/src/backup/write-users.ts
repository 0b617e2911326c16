import { chmod, mkdir, open, readdir, symlink, type FileHandle } from 'node:fs/promises';
import { BSON } from 'mongodb';
import { readBson } from './bson-file';
import { refusal } from './manifest';
import type { UserEntry } from './read-users';

/** Throws unless the folder is empty or absent. */
export async function requireEmptyFolder(folder: string): Promise<void> {
  const names = await readdir(folder).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  });
  if (names.length > 0)
    throw refusal(`${folder} is not empty; a backup can only be restored into an empty stack`);
}

/** Writes users' directories. Links are written last, so that nothing is ever written through one. */
export async function writeUsers(usersDir: string, folder: string, file: string): Promise<void> {
  await mkdir(usersDir, { recursive: true, mode: 0o700 });
  const links: Extract<UserEntry, { kind: 'link' }>[] = [];
  let current: FileHandle | undefined;
  try {
    for await (const encoded of readBson(folder, file)) {
      const entry = BSON.deserialize(encoded, { promoteBuffers: false }) as UserEntry;
      if (entry.kind === 'piece') {
        await current?.writeFile(entry.data.buffer);
        continue;
      }
      await current?.close();
      current = undefined;
      if (entry.kind === 'link') links.push(entry);
      else if (entry.kind === 'folder') await makeFolder(pathIn(usersDir, entry), entry.mode);
      else current = await openFile(pathIn(usersDir, entry), entry.mode);
    }
  } finally {
    await current?.close();
  }
  for (const link of links) await symlink(Buffer.from(link.target.buffer), pathIn(usersDir, link));
}

/**
 * Creates a folder with its original mode, except that its owner can always write to it, so that it can be
 * filled.
 */
async function makeFolder(path: Buffer, mode: number): Promise<void> {
  await mkdir(path);
  await chmod(path, mode | 0o700);
}

async function openFile(path: Buffer, mode: number): Promise<FileHandle> {
  const file = await open(path, 'wx', 0o600);
  await file.chmod(mode);
  return file;
}

function pathIn(usersDir: string, { path }: Exclude<UserEntry, { kind: 'piece' }>): Buffer {
  const bytes = Buffer.from(path.buffer);
  const names = bytes.toString('latin1').split('/');
  if (names.some((name) => name === '' || name === '.' || name === '..'))
    throw refusal("The backup contains a path that leads out of the folder of users' files");
  return Buffer.concat([Buffer.from(`${usersDir}/`), bytes]);
}
