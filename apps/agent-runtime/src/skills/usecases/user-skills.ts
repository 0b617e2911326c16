import { AppError, type Trust } from '@daycare/api';
import { authorOf, hashOf, isUserId, type UserHomes } from '../../homes';
import { KnownSkillFiles, type ReadFile } from './known-skill-files';

export interface UserSkill {
  readonly name: string;
  readonly file: string;
  /** The hash of the file, in lower-case hex. */
  readonly sha256: string;
  /** The trust of its text, if it is not the user's own. */
  readonly writtenBy: Trust | undefined;
  /** Whether it may be used: it is the user's own, or the person has approved this text. */
  readonly isUsable: boolean;
}

/** The skills that users store in their own files. */
export interface UserSkills {
  list(userId: string): Promise<readonly UserSkill[]>;
  read(userId: string, name: string): Promise<UserSkill | undefined>;
  /** Records a person's approval of a skill's text. Returns false unless the skill has this text and it is foreign. */
  approve(userId: string, name: string, sha256: string): Promise<boolean>;
}

const namePattern = /^[a-z0-9][a-z0-9-]{0,63}$/;
/** Reports whether a skill can have this name. */
export const isSkillName = (name: string): boolean => namePattern.test(name);

const folder = 'skills';
const extension = '.md';
const maxBytes = 65_536;
const maxSkills = 100;
const plainOnly = { plainOnly: true };

/** The operations on users' directories that skills need. */
export interface SkillHomes extends Pick<UserHomes, 'list' | 'read'> {
  readonly provenance: Pick<UserHomes['provenance'], 'approve' | 'rowsOf'>;
}

/**
 * Reads skills from `skills/<name>.md` in users' directories. Symbolic links are not followed. If users have no
 * directories, `homes` is undefined and they have no skills.
 */
export function makeUserSkills(homes: SkillHomes | undefined, now = Date.now): UserSkills {
  if (!homes) return noSkills;
  const known = new KnownSkillFiles(now);
  const read = async (userId: string, name: string): Promise<UserSkill | undefined> => {
    if (!isUserId(userId) || !namePattern.test(name)) return undefined;
    return (await readAll(homes, userId, [name]))[0];
  };
  return {
    read,
    async list(userId) {
      if (!isUserId(userId)) return [];
      const entries = (await homes.list(userId, folder, plainOnly)) ?? [];
      const byName = new Map(entries.map((entry) => [entry.name, entry]));
      return readAll(homes, userId, skillNames([...byName.keys()]), (name, read) =>
        known.get(userId, byName.get(`${name}${extension}`), read),
      );
    },
    async approve(userId, name, sha256) {
      const skill = await read(userId, name);
      if (!skill?.writtenBy || skill.sha256 !== sha256) return false;
      return homes.provenance.approve(userId, pathOf(name), sha256);
    },
  };
}

const noSkills: UserSkills = {
  list: async () => [],
  read: async () => undefined,
  approve: async () => false,
};

function pathOf(name: string): string {
  return `${folder}/${name}${extension}`;
}

/**
 * Looks up provenance after reading the files, because the row that marks a text as foreign is stored before the text.
 */
async function readAll(
  homes: SkillHomes,
  userId: string,
  names: readonly string[],
  find: (name: string, read: ReadFile) => Promise<Buffer | undefined> = (_, read) => read(),
): Promise<readonly UserSkill[]> {
  const read = (name: string): Promise<Buffer | undefined> =>
    homes.read(userId, pathOf(name), maxBytes, plainOnly).catch(undefinedIfTooLarge);
  const files = await Promise.all(
    names.map(async (name) => ({ name, file: await find(name, () => read(name)) })),
  );
  const rows = await homes.provenance.rowsOf(userId, names.map(pathOf));
  return files.flatMap(({ name, file }) => {
    if (!file) return [];
    const sha256 = hashOf(file);
    const row = rows.get(pathOf(name));
    const writtenBy = authorOf(row, sha256);
    const isUsable = writtenBy === undefined || row?.approvedText === sha256;
    return [{ name, file: file.toString('utf8'), sha256, writtenBy, isUsable }];
  });
}

function skillNames(entries: readonly string[]): string[] {
  return entries
    .filter((entry) => entry.endsWith(extension))
    .map((entry) => entry.slice(0, -extension.length))
    .filter((name) => namePattern.test(name))
    .sort()
    .slice(0, maxSkills);
}

function undefinedIfTooLarge(error: unknown): undefined {
  if (!(error instanceof AppError) || error.code !== 'FAILED_PRECONDITION') throw error;
}
