import { mkdir, realpath, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, invalidField } from '@daycare/api';
import type { HomeEntry } from '../domain/home-entry';
import { homeFolders, isUserId } from '../domain/home-path';
import { noSize, type HomeSize } from '../domain/home-size';
import { changedSince, type ChangeTest } from './changed-since';
import { emptyTree } from './delete-tree';
import { entriesOf } from './entries';
import { listFolder } from './list-folder';
import { measureTree } from './measure-tree';
import { errorCodeOf, Pin, using } from './pin';
import { nextFileTimeIn } from './file-time';
import { readFile } from './read-file';
import { removeEntry, type RemoveOptions } from './remove-entry';
import { replaceFile } from './replace-file';
import { locate, locateFolder, locatePlain, makeFolders, mkdirIn } from './walk';

export interface ReadOptions {
  /** Treats links as if they did not exist, even those that stay inside the user's tree. */
  readonly plainOnly?: boolean;
}

export interface WriteResult {
  /** The size of the file that was replaced; undefined when there was none. */
  readonly replacedBytes: number | undefined;
}

type Segments = readonly string[];

/**
 * The folder in which files are written before they are renamed into place; in the user's directory, so on the same
 * file system.
 */
const draftsName = '.drafts';

/**
 * Users' directories in `<usersDir>/<userId>`, without quotas. No operation reaches outside a user's tree, whatever
 * programs do to the tree at the same time: each name is opened relative to its parent folder, which is held open, and
 * links are resolved here, never by the system.
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
    await this.#inDirectory(userId, async (user) => {
      const folders = [...homeFolders.map((name) => [name]), ['memory', 'graph'], [draftsName]];
      for (const segments of folders)
        await (await makeFolders(user, segments, () => undefined)).close();
    });
  }

  /** Here and in the methods below, the segments must come from `checkPath`. */
  async read(
    userId: string,
    segments: Segments,
    maxBytes: number,
    options?: ReadOptions,
  ): Promise<Buffer | undefined> {
    return (await this.readAt(userId, segments, maxBytes, options))?.content;
  }

  /** Like `read`, but also returns the file's real path, without links. */
  readAt(
    userId: string,
    segments: Segments,
    maxBytes: number,
    options?: ReadOptions,
  ): Promise<{ readonly content: Buffer; readonly path: string } | undefined> {
    return this.#ifPresent(userId, async (user) => {
      const file = await locate(user, segments, options);
      const content = file && (await using(file.pin, () => readFile(file.pin, maxBytes)));
      return content && { content, path: file.segments.join('/') };
    });
  }

  list(
    userId: string,
    segments: Segments,
    options?: ReadOptions,
  ): Promise<readonly HomeEntry[] | undefined> {
    return this.#ifPresent(userId, async (user) => {
      const folder = await locate(user, segments, options);
      return folder && using(folder.pin, () => listFolder(folder.pin));
    });
  }

  /** See `Pin.identityOf`; undefined when there is no such entry. Links are not followed. */
  identify(userId: string, segments: Segments): Promise<string | undefined> {
    const name = segments.at(-1) ?? '';
    return this.#ifPresent(userId, async (user) => {
      const folder = await locateFolder(user, segments.slice(0, -1));
      return folder && using(folder, () => folder.identityOf(name));
    });
  }

  /** The user's directory must exist. Reports each folder it creates, even if the write then fails. */
  write(
    userId: string,
    segments: Segments,
    content: Uint8Array,
    onFolderCreated: () => void,
  ): Promise<WriteResult> {
    const name = segments.at(-1) ?? '';
    return this.#inDirectory(userId, async (user) =>
      using(await makeFolders(user, segments.slice(0, -1), onFolderCreated), async (folder) =>
        using(await makeFolders(user, [draftsName], () => undefined), async (draftsFolder) => ({
          replacedBytes: await replaceFile({ draftsFolder, folder, name, content }),
        })),
      ),
    );
  }

  /** Deletes an entry. Returns the size of what was deleted; undefined when there was no such entry. */
  remove(
    userId: string,
    segments: Segments,
    options?: RemoveOptions,
  ): Promise<HomeSize | undefined> {
    const name = segments.at(-1) ?? '';
    return this.#ifPresent(userId, async (user) => {
      const folder = await locateFolder(user, segments.slice(0, -1));
      return folder && using(folder, () => removeEntry(folder, name, options));
    });
  }

  /**
   * Deletes the contents of a folder. Returns the size of what was deleted; undefined when there is no
   * such folder.
   */
  empty(userId: string, segments: Segments): Promise<HomeSize | undefined> {
    return this.#ifPresent(userId, async (user) => {
      const folder = await locateFolder(user, segments);
      return folder && using(folder, () => emptyTree(folder));
    });
  }

  /** Deletes the user's directory. Can be interrupted and retried. */
  async deleteByUser(userId: string): Promise<void> {
    await this.#ifPresent(userId, emptyTree);
    await this.#inRoot(async (root) => {
      await rmdir(root.at(checkUserId(userId))).catch(unlessMissing);
    });
  }

  async directoryOf(userId: string): Promise<string> {
    const directory = await realpath(this.#usersDir);
    return this.#inDirectory(userId, async () => join(directory, userId));
  }

  async measure(userId: string, maxEntries = Infinity): Promise<HomeSize> {
    return (await this.#ifPresent(userId, (user) => measureTree(user, maxEntries))) ?? noSize;
  }

  /**
   * Returns the inodes of those given paths that exist, without following links. Each folder is looked up only once.
   */
  async inodesOf(userId: string, paths: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const namesIn = new Map<string, string[]>();
    for (const path of paths) {
      const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')));
      const names = namesIn.get(folder) ?? [];
      namesIn.set(folder, names);
      names.push(path.slice(path.lastIndexOf('/') + 1));
    }
    const inodes = new Map<string, number>();
    for (const [path, names] of namesIn)
      await this.#ifPresent(userId, async (user) => {
        const folder = await locatePlain(user, path === '' ? [] : path.split('/'));
        if (!folder) return;
        await using(folder, async () => {
          for (const name of names) {
            const stats = await folder.statOf(name);
            if (stats) inodes.set(path === '' ? name : `${path}/${name}`, stats.ino);
          }
        });
      });
    return inodes;
  }

  /**
   * Returns the paths that have changed below these top-level folders; may miss some if a program runs at the same
   * time.
   */
  async changedSince(
    userId: string,
    folders: readonly string[],
    test: ChangeTest,
  ): Promise<ReadonlySet<string>> {
    const found = await this.#ifPresent(userId, async (user) => {
      const changed: string[] = [];
      for (const name of folders) {
        const folder = await user.enter(name);
        if (folder) changed.push(...(await using(folder, () => changedSince(folder, name, test))));
      }
      return changed;
    });
    return new Set(found ?? []);
  }

  /** Returns the earliest change time, by the file system's clock, that one of the user's files can get from now on. */
  nextFileTimeMs(userId: string): Promise<number> {
    return this.#inDirectory(userId, async (user) =>
      using(await makeFolders(user, [draftsName], () => undefined), nextFileTimeIn),
    );
  }

  /** Deletes drafts that interrupted writes left behind and that were last changed before the given time. */
  async clearDrafts(userId: string, before: Date): Promise<void> {
    await this.#ifPresent(userId, async (user) => {
      const draftsFolder = await user.enter(draftsName);
      if (draftsFolder) await using(draftsFolder, () => deleteOldDrafts(draftsFolder, before));
    });
  }

  async #inRoot<T>(use: (root: Pin) => Promise<T>): Promise<T | undefined> {
    const root = await Pin.root(this.#usersDir);
    return root && using(root, use);
  }

  /** Runs `use` with the user's directory; returns undefined when there is none. */
  #ifPresent<T>(userId: string, use: (user: Pin) => Promise<T>): Promise<T | undefined> {
    return this.#inRoot(async (root) => {
      const user = await root.enter(checkUserId(userId));
      return user && using(user, async ({ isFolder }) => (isFolder ? use(user) : undefined));
    });
  }

  /** Like `#ifPresent`, but throws when the user has no directory. */
  async #inDirectory<T>(userId: string, use: (user: Pin) => Promise<T>): Promise<T> {
    const outcome = await this.#ifPresent(userId, async (user) => ({ done: await use(user) }));
    if (outcome) return outcome.done;
    throw new AppError('FAILED_PRECONDITION', "The user's directory does not exist yet");
  }
}

function checkUserId(userId: string): string {
  if (isUserId(userId)) return userId;
  throw invalidField('user_id', 'is not a valid id');
}

async function deleteOldDrafts(draftsFolder: Pin, before: Date): Promise<void> {
  if (!draftsFolder.isFolder) return;
  for await (const { name, stats } of entriesOf(draftsFolder))
    if (stats.isFile() && stats.mtime < before)
      await unlink(draftsFolder.at(name)).catch(unlessMissing);
}

function unlessMissing(error: unknown): void {
  const code = errorCodeOf(error);
  if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error;
}
