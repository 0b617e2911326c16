import { AppError } from '@daycare/errors';
import { isUserId } from '../domain/home-path';
import type { UserHomes } from '../home/user-homes';

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
const folder = 'skills';
const extension = '.md';
const mostBytes = 65_536;
const mostSkills = 100;
const plainOnly = { plainOnly: true };

/**
 * Skills in `skills/<name>.md` of a user's directory: plain files that are where their path says, no
 * links. Without directories nobody has any.
 */
export function makeUserSkills(homes: Pick<UserHomes, 'list' | 'read'> | undefined): UserSkills {
  const read = async (userId: string, name: string): Promise<string | undefined> => {
    if (!homes || !isUserId(userId) || !nameForm.test(name)) return undefined;
    const path = `${folder}/${name}${extension}`;
    const file = await homes.read(userId, path, mostBytes, plainOnly).catch(unlessTooLong);
    return file?.toString('utf8');
  };
  return {
    read,
    async list(userId) {
      if (!homes || !isUserId(userId)) return [];
      const entries = (await homes.list(userId, folder, plainOnly)) ?? [];
      const names = skillNames(entries.map(({ name }) => name));
      const files = await Promise.all(
        names.map(async (name) => ({ name, file: await read(userId, name) })),
      );
      return files.flatMap(({ name, file }) => (file === undefined ? [] : [{ name, file }]));
    },
  };
}

function skillNames(entries: readonly string[]): string[] {
  return entries
    .filter((entry) => entry.endsWith(extension))
    .map((entry) => entry.slice(0, -extension.length))
    .filter((name) => nameForm.test(name))
    .sort()
    .slice(0, mostSkills);
}

function unlessTooLong(error: unknown): undefined {
  if (!(error instanceof AppError) || error.code !== 'FAILED_PRECONDITION') throw error;
}
