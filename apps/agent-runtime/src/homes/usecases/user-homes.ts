import { AppError, FieldChecks, notFound, type Trust } from '@daycare/api';
import type { DeletedUserStore } from '@daycare/service-kit';
import type { HomeEntry } from '../domain/home-entry';
import { addSizes, bytesCounted, noSize, type HomeSize } from '../domain/home-size';
import { checkPath } from './check-path';
import { hashOf } from '../disk/content-hash';
import type { HomeFiles, ReadOptions } from '../disk/home-files';
import type { Authorship, FileProvenance } from './file-provenance';
import type { ProgramProvenance } from './program-provenance';
import type { HomeQuota } from './home-quota';
import type { RemoveOptions } from '../disk/remove-entry';

export type { HomeEntry } from '../domain/home-entry';

/**
 * Users' own directories. A path is relative to the user's directory, begins with `home`, `skills`,
 * `apps` or `memory`, and is refused (INVALID_ARGUMENT) if it violates the rules of
 * `domain/home-path.ts`.
 */
export interface UserHomes {
  /** Creates the user's tree; can be repeated. Refused for a deleted user. */
  ensure(userId: string): Promise<void>;
  /**
   * Reads a regular file; returns undefined when there is no such file. A file longer than `maxBytes` is refused
   * (FAILED_PRECONDITION).
   */
  read(
    userId: string,
    path: string,
    maxBytes: number,
    options?: ReadOptions,
  ): Promise<Buffer | undefined>;
  /**
   * Like `read`, but also returns the text's hash in lower-case hex and, unless the text is the user's own, its trust.
   */
  readWithAuthor(
    userId: string,
    path: string,
    maxBytes: number,
    options?: ReadOptions,
  ): Promise<AuthoredFile | undefined>;
  /**
   * Writes a file atomically and creates missing folders. Refused (QUOTA_EXCEEDED) when the write would exceed the
   * quota. Text from a foreign turn is marked as foreign before it is written.
   */
  write(userId: string, path: string, content: Uint8Array, authorship?: Authorship): Promise<void>;
  /** Lists at most 10,000 of a folder's entries, sorted by name; returns undefined when there is no such folder. */
  list(
    userId: string,
    path: string,
    options?: ReadOptions,
  ): Promise<readonly HomeEntry[] | undefined>;
  /**
   * Identifies the current version of an entry: a later version, or whatever takes its place, is identified
   * differently. A folder's identity does not depend on its contents. Undefined when there is no such entry.
   */
  identify(userId: string, path: string): Promise<string | undefined>;
  /**
   * Deletes a file, a link or an empty folder or, with `recursive`, any folder. A top-level folder is emptied but kept
   * with `recursive`, and refused without it (INVALID_ARGUMENT). Returns false when there was nothing with that name.
   */
  remove(userId: string, path: string, options?: RemoveOptions): Promise<boolean>;
  /** The provenance of files. */
  readonly provenance: FileProvenance;
  /** The provenance of files that programs read and write. */
  readonly programs: Pick<ProgramProvenance, 'begin' | 'end'>;
  /** Deletes the user's directory. Can be interrupted and retried. */
  deleteByUser(userId: string): Promise<void>;
  /**
   * Returns the absolute real path of the user's directory, for the sandbox that mounts it; creates the directory if it
   * is missing.
   */
  directoryOf(userId: string): Promise<string>;
  /** The quota that an owner shares with its subusers. */
  readonly limits: HomeSize;
  /**
   * Reports whether the user has space left. Measures usage again, at most once every few seconds, before reporting
   * false.
   */
  hasRoom(userId: string): Promise<boolean>;
  /**
   * Measures usage by walking the tree (never following links); each entry counts in whole blocks of 4 KiB.
   */
  measure(userId: string): Promise<HomeSize>;
  /**
   * Measures and updates the stored usage, e.g. after a program has written files. Returns the usage of the owner
   * and all of its subusers.
   */
  recount(userId: string): Promise<HomeSize>;
}

/** A file's content, its hash, and its trust unless the text is the user's own. */
export interface AuthoredFile {
  readonly content: Buffer;
  readonly sha256: string;
  readonly writtenBy: Trust | undefined;
}

export interface UserHomesDeps {
  readonly provenance: FileProvenance;
  readonly programs: ProgramProvenance;
  readonly files: HomeFiles;
  readonly quota: HomeQuota;
  readonly deletedUsers: Pick<DeletedUserStore, 'has'>;
}

export function makeUserHomes(deps: UserHomesDeps): UserHomes {
  const { files, quota, deletedUsers, provenance, programs } = deps;
  const ensure = async (userId: string): Promise<void> => {
    if (await deletedUsers.has(userId)) throw notFound('user');
    await files.ensure(userId);
  };
  return {
    ensure,
    read: async (userId, path, ...rest) => files.read(userId, checkPath(path), ...rest),
    list: async (userId, path, options) => files.list(userId, checkPath(path), options),
    identify: async (userId, path) => files.identify(userId, checkPath(path)),
    async readWithAuthor(userId, path, ...rest) {
      const found = await files.readAt(userId, checkPath(path), ...rest);
      if (!found) return undefined;
      const sha256 = hashOf(found.content);
      const writtenBy = await provenance.authorOf(userId, [{ path: found.path, sha256 }]);
      return { content: found.content, sha256, writtenBy };
    },
    async write(userId, path, content, authorship = {}) {
      const segments = checkChangeable(path);
      await ensure(userId);
      const write = () => writeCounted({ files, quota }, userId, segments, content);
      await provenance.write(userId, segments.join('/'), content, authorship, write);
    },
    async remove(userId, path, { recursive = false } = {}) {
      const segments = recursive ? checkPath(path) : checkChangeable(path);
      const removed = await removeCounted({ files, quota }, userId, segments, recursive);
      if (removed) await provenance.afterRemoval(userId, segments.join('/'));
      return removed;
    },
    provenance,
    programs,
    deleteByUser: (userId) => files.deleteByUser(userId),
    async directoryOf(userId) {
      await ensure(userId);
      return files.directoryOf(userId);
    },
    limits: quota.limits,
    hasRoom: (userId) => quota.hasRoom(userId),
    measure: (userId) => files.measure(userId, quota.limits.entries),
    recount: (userId) => quota.recount(userId),
  };
}

/** Refuses top-level folders, which can be neither replaced nor deleted. */
function checkChangeable(path: string): readonly string[] {
  const segments = checkPath(path);
  const problem = `must name something in a folder, such as ${path}/name`;
  new FieldChecks().require(segments.length > 1, 'path', problem).done();
  return segments;
}

type CountedDeps = Pick<UserHomesDeps, 'files' | 'quota'>;

/**
 * Writes a file within the quota: reserves space for the file and every folder that may have to be created, then
 * releases what was not used.
 */
async function writeCounted(
  { files, quota }: CountedDeps,
  userId: string,
  segments: readonly string[],
  content: Uint8Array,
): Promise<void> {
  const [file, folder] = [entrySize(content.length), entrySize(0)];
  const reservation = await quota.take(
    userId,
    segments.slice(1).reduce((sum) => addSizes(sum, folder), file),
  );
  let [used, freed] = [noSize, noSize];
  try {
    const onFolderCreated = (): void => void (used = addSizes(used, folder));
    const { replacedBytes } = await files.write(userId, segments, content, onFolderCreated);
    used = addSizes(used, file);
    freed = replacedBytes === undefined ? noSize : entrySize(replacedBytes);
  } catch (error) {
    // A refusal leaves no file; after any other error there may be one.
    if (!(error instanceof AppError)) used = addSizes(used, file);
    throw error;
  } finally {
    await quota.settle(reservation, { used, freed });
  }
}

async function removeCounted(
  { files, quota }: CountedDeps,
  userId: string,
  segments: readonly string[],
  recursive: boolean,
): Promise<boolean> {
  const reservation = await quota.begin(userId);
  let removed: HomeSize | undefined;
  try {
    removed = await (segments.length === 1
      ? files.empty(userId, segments)
      : files.remove(userId, segments, { recursive }));
  } finally {
    if (reservation) await quota.settle(reservation, { used: noSize, freed: removed ?? noSize });
    else if (removed) quota.forgetRefusal(userId);
  }
  return removed !== undefined;
}

function entrySize(size: number): HomeSize {
  return { bytes: bytesCounted(size), entries: 1 };
}
