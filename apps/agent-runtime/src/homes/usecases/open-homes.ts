import { constants } from 'node:fs';
import { access, mkdir } from 'node:fs/promises';
import { ConfigError, type DeletedUserStore, type ServiceKit } from '@daycare/service-kit';
import { maxEntries, type HomeSize } from '../domain/home-size';
import type { HomeStore } from '../store/home-store';
import type { ProgramTraceStore } from '../store/program-trace-store';
import type { ProvenanceStore } from '../store/provenance-store';
import { HomeFiles } from '../disk/home-files';
import { FileProvenance } from './file-provenance';
import { ProgramProvenance } from './program-provenance';
import { HomeQuota, type Measure } from './home-quota';
import { makeUserHomes, type UserHomes } from './user-homes';

export interface HomesConfig {
  readonly usersDir: string;
  readonly homeQuotaBytes: number;
  /** Maximum number of files and folders per owner; `maxEntries` unless given. */
  readonly homeEntries?: number;
}

export interface OpenHomesDeps {
  readonly homeUsage: HomeStore;
  readonly provenanceRows: ProvenanceStore;
  readonly programTraces: ProgramTraceStore;
  readonly deletedUsers: DeletedUserStore;
  readonly ownerOf: (userId: string) => Promise<string>;
  /** Returns the total size of a user's uploads, which share the quota. */
  readonly measureUploads?: (userId: string) => Promise<HomeSize>;
  readonly now: () => Date;
}

const draftLifetimeMs = 60 * 60_000;

/**
 * Opens users' directories; returns undefined when no directory is configured, or when this system cannot enter folders
 * safely. There is no fallback to less safe file access. Throws when the directory cannot be used.
 */
export async function openHomes(
  { usersDir, homeQuotaBytes, homeEntries = maxEntries }: HomesConfig,
  {
    homeUsage,
    provenanceRows: rows,
    programTraces: traces,
    deletedUsers,
    ownerOf,
    measureUploads,
    now,
  }: OpenHomesDeps,
  { log }: Pick<ServiceKit, 'log'>,
): Promise<UserHomes | undefined> {
  const problem = usersDir === '' ? 'DAYCARE_USERS_DIR is not set' : await findProblem();
  if (problem !== undefined) {
    log.info({ problem }, 'users have no home directories; file tools disabled');
    return undefined;
  }
  await checkDirectory(usersDir);
  const files = new HomeFiles(usersDir);
  const limits = { bytes: homeQuotaBytes, entries: homeEntries };
  const measure: Measure = async (userId, kind) => {
    if (kind === 'uploads') return measureUploads?.(userId);
    await files.clearDrafts(userId, new Date(now().getTime() - draftLifetimeMs));
    return files.measure(userId, limits.entries);
  };
  const quota = new HomeQuota({ homeUsage, limits, ownerOf, measure, now });
  const programs = new ProgramProvenance({ rows, traces, files, now });
  const provenance = new FileProvenance({ rows, programs, files, now });
  return makeUserHomes({ files, quota, deletedUsers, provenance, programs });
}

async function checkDirectory(usersDir: string): Promise<void> {
  try {
    await mkdir(usersDir, { recursive: true, mode: 0o700 });
    await access(usersDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw new ConfigError(`DAYCARE_USERS_DIR is "${usersDir}", which is not writable`, { cause });
  }
}

async function findProblem(): Promise<string | undefined> {
  const isUsable = await access('/proc/self/fd').then(
    () => process.platform === 'linux',
    () => false,
  );
  return isUsable ? undefined : 'this is not Linux, or /proc/self/fd does not exist';
}
