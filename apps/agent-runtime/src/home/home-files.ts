import { mkdir, realpath, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '@daycare/errors';
import type { HomeEntry } from '../domain/home-entry';
import { homeFolders, isUserId } from '../domain/home-path';
import { noSize, type HomeSize } from '../domain/home-quota';
import { emptyTree } from './delete-tree';
import { entriesOf } from './entries';
import { listFolder } from './list-folder';
import { measureTree } from './measure-tree';
import { errorCodeOf, Pin, using } from './pin';
import { readFile } from './read-file';
import { removeEntry, type RemoveOptions } from './remove-entry';
import { replaceFile } from './replace-file';
import { locate, locateFolder, makeFolders, mkdirIn } from './walk';

export interface ReadOptions {
  /** As if there were no links at all, not even those that stay in the user's tree. */
  readonly plainOnly?: boolean;
}

export interface Written {
  /** Undefined when there was no such file. */
  readonly replacedBytes: number | undefined;
}

type Segments = readonly string[];

/** Where drafts of files are; below the user's directory, so on the same file system. */
const workshopName = '.drafts';

/**
 * Users' directories in `<usersDir>/<userId>`, without any counting. Nothing here leaves a user's tree,
 * whatever a program puts into it at whatever moment: each name is entered from the folder before it,
 * which is held, and links are never left to the system.
 */
export class HomeFiles {
  readonly #usersDir: string;

  constructor(usersDir: string) {
    this.#usersDir = usersDir;
  }

  async ensure(userId: string): Promise<void> {
    await mkdir(this.#usersDir, { recursive: true, mode: 0o700 });
    await this.#inRoot(async (root) => {
      await mkdirIn(root, checkUserId(userId));
    });
    await this.#change(userId, async (user) => {
      const folders = [...homeFolders.map((name) => [name]), ['memory', 'graph'], [workshopName]];
      for (const segments of folders)
        await (await makeFolders(user, segments, () => undefined)).close();
    });
  }

  /** The segments come from `checkPath`, here and below. */
  read(
    userId: string,
    segments: Segments,
    maxBytes: number,
    options?: ReadOptions,
  ): Promise<Buffer | undefined> {
    return this.#look(userId, async (user) => {
      const file = await locate(user, segments, options);
      return file && using(file, () => readFile(file, maxBytes));
    });
  }

  list(
    userId: string,
    segments: Segments,
    options?: ReadOptions,
  ): Promise<readonly HomeEntry[] | undefined> {
    return this.#look(userId, async (user) => {
      const folder = await locate(user, segments, options);
      return folder && using(folder, () => listFolder(folder));
    });
  }

  /** The user's directory must be there. Tells of each folder that it makes, also when it then fails. */
  write(
    userId: string,
    segments: Segments,
    content: Uint8Array,
    onFolderMade: () => void,
  ): Promise<Written> {
    const name = segments.at(-1) ?? '';
    return this.#change(userId, async (user) =>
      using(await makeFolders(user, segments.slice(0, -1), onFolderMade), async (folder) =>
        using(await makeFolders(user, [workshopName], () => undefined), async (workshop) => ({
          replacedBytes: await replaceFile({ workshop, folder, name, content }),
        })),
      ),
    );
  }

  /** Returns what was removed; undefined when it was not there. */
  remove(
    userId: string,
    segments: Segments,
    options?: RemoveOptions,
  ): Promise<HomeSize | undefined> {
    const name = segments.at(-1) ?? '';
    return this.#look(userId, async (user) => {
      const folder = await locateFolder(user, segments.slice(0, -1));
      return folder && using(folder, () => removeEntry(folder, name, options));
    });
  }

  /** Removes all that is in a folder. Returns what that was; undefined when there is no such folder. */
  empty(userId: string, segments: Segments): Promise<HomeSize | undefined> {
    return this.#look(userId, async (user) => {
      const folder = await locateFolder(user, segments);
      return folder && using(folder, () => emptyTree(folder));
    });
  }

  /** Removes the user's directory. May be cut off and repeated. */
  async deleteOfUser(userId: string): Promise<void> {
    await this.#look(userId, emptyTree);
    await this.#inRoot(async (root) => {
      await rmdir(root.at(checkUserId(userId))).catch(unlessMissing);
    });
  }

  async directoryOf(userId: string): Promise<string> {
    const directory = await realpath(this.#usersDir);
    return this.#change(userId, async () => join(directory, userId));
  }

  async measure(userId: string, mostEntries = Infinity): Promise<HomeSize> {
    return (await this.#look(userId, (user) => measureTree(user, mostEntries))) ?? noSize;
  }

  /** Removes what writes that were cut off before then have left. */
  async clearDrafts(userId: string, before: Date): Promise<void> {
    await this.#look(userId, async (user) => {
      const workshop = await user.enter(workshopName);
      if (workshop) await using(workshop, () => clearOld(workshop, before));
    });
  }

  async #inRoot<T>(use: (root: Pin) => Promise<T>): Promise<T | undefined> {
    const root = await Pin.root(this.#usersDir);
    return root && using(root, use);
  }

  /** With the user's directory; undefined when there is none. */
  #look<T>(userId: string, use: (user: Pin) => Promise<T>): Promise<T | undefined> {
    return this.#inRoot(async (root) => {
      const user = await root.enter(checkUserId(userId));
      return user && using(user, async ({ isFolder }) => (isFolder ? use(user) : undefined));
    });
  }

  /** As `#look`, where there must be one. */
  async #change<T>(userId: string, use: (user: Pin) => Promise<T>): Promise<T> {
    const outcome = await this.#look(userId, async (user) => ({ done: await use(user) }));
    if (outcome) return outcome.done;
    throw new AppError('FAILED_PRECONDITION', 'The user has no directory');
  }
}

function checkUserId(userId: string): string {
  if (isUserId(userId)) return userId;
  throw new AppError('INVALID_ARGUMENT', 'user_id is not a valid id');
}

async function clearOld(workshop: Pin, before: Date): Promise<void> {
  if (!workshop.isFolder) return;
  for await (const { name, stats } of entriesOf(workshop))
    if (stats.isFile() && stats.mtime < before)
      await unlink(workshop.at(name)).catch(unlessMissing);
}

function unlessMissing(error: unknown): void {
  const code = errorCodeOf(error);
  if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error;
}
