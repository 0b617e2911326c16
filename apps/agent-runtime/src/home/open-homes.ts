import { constants } from 'node:fs';
import { access, mkdir } from 'node:fs/promises';
import { ConfigError, type GoneUserStore, type ServiceKit } from '@daycare/service-kit';
import { mostEntries, type HomeSize } from '../domain/home-quota';
import type { HomeStore } from '../store/home-store';
import { HomeFiles } from './home-files';
import { HomeQuota } from './home-quota';
import { makeUserHomes, type UserHomes } from './user-homes';

export interface HomesConfig {
  readonly usersDir: string;
  readonly homeQuotaBytes: number;
  /** How many files and folders a user may have; as many as the rules say unless told. */
  readonly homeEntries?: number;
}

export interface HomesDeps {
  readonly homeUse: HomeStore;
  readonly goneUsers: GoneUserStore;
  readonly now: () => Date;
}

const draftsLastMs = 60 * 60_000;

/**
 * Users' directories, or undefined when nobody has one: none is configured, or this system cannot
 * enter folders safely. There is no other, less safe way. Throws when the directory cannot be used.
 */
export async function openHomes(
  { usersDir, homeQuotaBytes, homeEntries = mostEntries }: HomesConfig,
  { homeUse, goneUsers, now }: HomesDeps,
  { log }: Pick<ServiceKit, 'log'>,
): Promise<UserHomes | undefined> {
  const problem = usersDir === '' ? 'DAYCARE_USERS_DIR is not set' : await findProblem();
  if (problem !== undefined) {
    log.info({ problem }, 'users have no files');
    return undefined;
  }
  await checkDirectory(usersDir);
  const files = new HomeFiles(usersDir);
  const limits = { bytes: homeQuotaBytes, entries: homeEntries };
  const measure = async (userId: string): Promise<HomeSize> => {
    await files.clearDrafts(userId, new Date(now().getTime() - draftsLastMs));
    return files.measure(userId, limits.entries);
  };
  const quota = new HomeQuota({ homeUse, limits, measure, now });
  return makeUserHomes({ files, quota, goneUsers });
}

async function checkDirectory(usersDir: string): Promise<void> {
  try {
    await mkdir(usersDir, { recursive: true, mode: 0o700 });
    await access(usersDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw new ConfigError(`DAYCARE_USERS_DIR ${usersDir} cannot be written`, { cause });
  }
}

async function findProblem(): Promise<string | undefined> {
  const isThere = await access('/proc/self/fd').then(
    () => process.platform === 'linux',
    () => false,
  );
  return isThere ? undefined : 'there is no /proc/self/fd';
}
