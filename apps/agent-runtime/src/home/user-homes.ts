import { AppError, FieldChecks, notFound } from '@daycare/errors';
import type { GoneUserStore } from '@daycare/service-kit';
import type { HomeEntry } from '../domain/home-entry';
import { addSizes, bytesCounted, noSize, type HomeSize } from '../domain/home-quota';
import { checkPath } from './check-path';
import type { HomeFiles, ReadOptions } from './home-files';
import type { HomeQuota } from './home-quota';
import type { RemoveOptions } from './remove-entry';

export type { HomeEntry } from '../domain/home-entry';

/**
 * Users' own directories. A path is relative to the user's, begins with `home`, `skills`, `apps` or
 * `memory` and is refused (INVALID_ARGUMENT) when it breaks the rules of `domain/home-path.ts`.
 */
export interface UserHomes {
  /** Makes the user's tree; may be repeated. Refused for a user who is gone. */
  ensure(userId: string): Promise<void>;
  /** Undefined when there is no such plain file. One longer than `maxBytes` is refused (FAILED_PRECONDITION). */
  read(
    userId: string,
    path: string,
    maxBytes: number,
    options?: ReadOptions,
  ): Promise<Buffer | undefined>;
  /** Whole and at once; folders on the way are made. Refused (QUOTA_EXCEEDED) when the user would have too much. */
  write(userId: string, path: string, content: Uint8Array): Promise<void>;
  /** What is in a folder, by name; undefined when there is no such folder. At most 10,000 entries. */
  list(
    userId: string,
    path: string,
    options?: ReadOptions,
  ): Promise<readonly HomeEntry[] | undefined>;
  /**
   * A file, a link or an empty folder, or with `recursive` any folder; a folder of the tree itself is
   * emptied then and stays. False when it was not there.
   */
  remove(userId: string, path: string, options?: RemoveOptions): Promise<boolean>;
  /** All of a user's: for deletion. May be cut off and repeated. */
  deleteOfUser(userId: string): Promise<void>;
  /** The absolute, real directory of the user, for the sandbox that mounts it; it is made when missing. */
  directoryOf(userId: string): Promise<string>;
  /** What a user may have. */
  readonly limits: HomeSize;
  /** Whether the user may have more. It is counted anew before the answer is no. */
  hasRoom(userId: string): Promise<boolean>;
  /** What is in use, by walking (never following links); each entry counts in whole blocks of 4 KiB. */
  measure(userId: string): Promise<HomeSize>;
  /** Measures and has the quota count from there, as after a program wrote by itself. */
  recount(userId: string): Promise<HomeSize>;
}

export interface UserHomesDeps {
  readonly files: HomeFiles;
  readonly quota: HomeQuota;
  readonly goneUsers: Pick<GoneUserStore, 'has'>;
}

export function makeUserHomes({ files, quota, goneUsers }: UserHomesDeps): UserHomes {
  const ensure = async (userId: string): Promise<void> => {
    if (await goneUsers.has(userId)) throw notFound('user');
    await files.ensure(userId);
  };
  return {
    ensure,
    read: async (userId, path, ...rest) => files.read(userId, checkPath(path), ...rest),
    list: async (userId, path, options) => files.list(userId, checkPath(path), options),
    async write(userId, path, content) {
      const segments = checkChangeable(path);
      await ensure(userId);
      await writeCounted({ files, quota }, userId, segments, content);
    },
    async remove(userId, path, { recursive = false } = {}) {
      const segments = recursive ? checkPath(path) : checkChangeable(path);
      return removeCounted({ files, quota }, userId, segments, recursive);
    },
    deleteOfUser: (userId) => files.deleteOfUser(userId),
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

/** The folders of the tree itself are neither replaced nor removed. */
function checkChangeable(path: string): readonly string[] {
  const segments = checkPath(path);
  const problem = `must name something in a folder, such as ${path}/name`;
  new FieldChecks().require(segments.length > 1, 'path', problem).done();
  return segments;
}

type Counted = Pick<UserHomesDeps, 'files' | 'quota'>;

/** Room is taken for the file and every folder that may have to be made; what was not needed is given back. */
async function writeCounted(
  { files, quota }: Counted,
  userId: string,
  segments: readonly string[],
  content: Uint8Array,
): Promise<void> {
  const [file, folder] = [entryOf(content.length), entryOf(0)];
  const grant = await quota.take(
    userId,
    segments.slice(1).reduce((sum) => addSizes(sum, folder), file),
  );
  let [used, freed] = [noSize, noSize];
  try {
    const onFolderMade = (): void => void (used = addSizes(used, folder));
    const { replacedBytes } = await files.write(userId, segments, content, onFolderMade);
    used = addSizes(used, file);
    freed = replacedBytes === undefined ? noSize : entryOf(replacedBytes);
  } catch (error) {
    // A refusal leaves no file; after anything else there may be one.
    if (!(error instanceof AppError)) used = addSizes(used, file);
    throw error;
  } finally {
    await quota.settle(grant, { used, freed });
  }
}

async function removeCounted(
  { files, quota }: Counted,
  userId: string,
  segments: readonly string[],
  recursive: boolean,
): Promise<boolean> {
  const grant = await quota.begin(userId);
  let removed: HomeSize | undefined;
  try {
    removed = await (segments.length === 1
      ? files.empty(userId, segments)
      : files.remove(userId, segments, { recursive }));
  } finally {
    if (grant) await quota.settle(grant, { used: noSize, freed: removed ?? noSize });
    else if (removed) quota.forgetRefusal(userId);
  }
  return removed !== undefined;
}

function entryOf(size: number): HomeSize {
  return { bytes: bytesCounted(size), entries: 1 };
}
