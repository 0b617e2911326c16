import { constants } from 'node:fs';
import { lstat, open, readdir, realpath, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';

export interface UserSkill {
  readonly name: string;
  readonly file: string;
}

/** The skills that users keep as files of their own. */
export interface UserSkills {
  list(userId: string): Promise<readonly UserSkill[]>;
  read(userId: string, name: string): Promise<string | undefined>;
}

const nameForm = /^[a-z0-9][a-z0-9-]{0,63}$/;
const userIdForm = /^[a-z0-9]{2,64}$/;
const extension = '.md';
const mostBytes = 65_536;
const mostSkills = 100;

/**
 * Skills in `<usersDir>/<userId>/skills/<name>.md`. Whoever can write there must not be able to have
 * anything else read: only plain files that are where their path says are seen. Without a directory
 * nobody has any.
 */
export function makeUserSkills(usersDir: string): UserSkills {
  const folderOf = (userId: string): string | undefined =>
    usersDir !== '' && userIdForm.test(userId) ? join(userId, 'skills') : undefined;
  const read = async (userId: string, name: string): Promise<string | undefined> => {
    const folder = folderOf(userId);
    if (!folder || !nameForm.test(name)) return undefined;
    return unlessAbsent(readInside(usersDir, join(folder, `${name}${extension}`)), undefined);
  };
  return {
    read,
    async list(userId) {
      const folder = folderOf(userId);
      if (!folder) return [];
      const names = await unlessAbsent(listInside(usersDir, folder), []);
      const files = await Promise.all(
        names.map(async (name) => ({ name, file: await read(userId, name) })),
      );
      return files.flatMap(({ name, file }) => (file === undefined ? [] : [{ name, file }]));
    },
  };
}

async function listInside(root: string, folder: string): Promise<string[]> {
  const entries = await readdir(join(await realpath(root), folder));
  return entries
    .filter((entry) => entry.endsWith(extension))
    .map((entry) => entry.slice(0, -extension.length))
    .filter((name) => nameForm.test(name))
    .sort()
    .slice(0, mostSkills);
}

/** A link instead of the file is not opened; one on the way to it shows once the file is open. */
async function readInside(root: string, path: string): Promise<string | undefined> {
  const whole = join(await realpath(root), path);
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const handle = await open(whole, flags);
  try {
    return (await isPlainFileAt(handle, whole)) ? await readText(handle) : undefined;
  } finally {
    await handle.close();
  }
}

async function isPlainFileAt(handle: FileHandle, path: string): Promise<boolean> {
  const opened = await handle.stat();
  if (!opened.isFile() || opened.size > mostBytes || (await realpath(path)) !== path) return false;
  const { dev, ino } = await lstat(path);
  return dev === opened.dev && ino === opened.ino;
}

/** Never reads more than a skill may have, though the file may grow meanwhile. */
async function readText(handle: FileHandle): Promise<string | undefined> {
  const buffer = Buffer.alloc(mostBytes + 1);
  const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
  return bytesRead > mostBytes ? undefined : buffer.toString('utf8', 0, bytesRead);
}

/** What the file system says of something that is not there, or not what it should be. */
const absences: ReadonlySet<unknown> = new Set([
  'ENOENT',
  'ENOTDIR',
  'EISDIR',
  'ELOOP',
  'ENXIO',
  'EACCES',
  'EPERM',
]);

async function unlessAbsent<T>(found: Promise<T>, otherwise: T): Promise<T> {
  return found.catch((error: unknown) => {
    if (absences.has((error as NodeJS.ErrnoException).code)) return otherwise;
    throw error;
  });
}
