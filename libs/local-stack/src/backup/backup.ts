import { chmod, mkdir, readdir, realpath } from 'node:fs/promises';
import { writeBson } from './bson-file';
import { copyKeys, type KeyFiles } from './keys';
import { backupFormat, refusal, writeManifest, type Manifest, type UsersPart } from './manifest';
import { readDatabases, type BackupDatabase } from './read-databases';
import { readUsers } from './read-users';
import { UnreadPaths } from './unread-paths';

/** The locations of everything that goes into a backup. */
export interface BackupSource {
  /** Includes an operator's credentials, which allow reading all databases. */
  readonly mongoUrl: string;
  readonly databases: readonly BackupDatabase[];
  /** If undefined, users' files are not backed up. */
  readonly usersDir: string | undefined;
  readonly keys: KeyFiles;
}

/**
 * Writes a backup of a running installation into a new folder. All databases are read as of one point in time, users'
 * files later. So a file may be newer than the databases, as it may also be after a crash. A file that a database
 * refers to is missing only if it was deleted during the backup or could not be read.
 */
export async function makeBackup(
  { mongoUrl, databases, usersDir, keys }: BackupSource,
  folder: string,
  version: string,
): Promise<Manifest> {
  const realUsersDir = usersDir === undefined ? undefined : await findUsersDir(usersDir);
  await makeEmptyFolder(folder);
  const startedAt = new Date().toISOString();
  const { collections, clusterTime } = await readDatabases(mongoUrl, databases, folder);
  const users = realUsersDir === undefined ? undefined : await writeUsersFile(folder, realUsersDir);
  const manifest = {
    format: backupFormat,
    version,
    startedAt,
    clusterTime,
    collections,
    ...(users ? { users } : {}),
    keys: await copyKeys(keys, folder),
  };
  await writeManifest(folder, manifest);
  return manifest;
}

async function writeUsersFile(folder: string, usersDir: string): Promise<UsersPart> {
  const unread = new UnreadPaths();
  const entries = readUsers(usersDir, (path) => unread.add(path));
  const part = await writeBson(folder, 'users.bson.gz', entries);
  return { ...part, unread: unread.first, unreadCount: unread.count };
}

/**
 * Throws if the folder does not exist, because a misspelt or unmounted folder must not be taken for an empty one.
 */
async function findUsersDir(usersDir: string): Promise<string> {
  try {
    return await realpath(usersDir);
  } catch {
    throw refusal(`the folder of users' files, ${usersDir}, does not exist`);
  }
}

/**
 * Creates a folder that only its owner may read, because backups contain secrets, or takes an existing one. Throws if it
 * is not empty.
 */
async function makeEmptyFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if ((await readdir(folder)).length > 0)
    throw refusal(`${folder} is not empty; a backup is written into a new folder`);
  await chmod(folder, 0o700).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error;
    throw refusal(
      `${folder} cannot be made private: it belongs to another user, or its file system has no permissions`,
    );
  });
}
