import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
  credentialsFile,
  findWorkspaceRoot,
  keyNames,
  serviceNames,
  vaultKeyFile,
  type BackupSource,
  type KeyFiles,
  type KeyName,
  type ServiceName,
} from '@daycare/local-stack';
import { readConfig } from '../../config';
import { exitCodes } from '../../failure/exit-codes';
import { Failure } from '../../failure/failure';
import { collectValue } from '../kit/options';

export interface InstallationOptions {
  readonly dataDir?: string;
  readonly usersDir?: string;
  readonly key?: readonly string[];
  readonly database?: readonly string[];
}

/** The options of `backup` and `restore` that say where an installation keeps its data. */
export const installationOptions = [
  [
    '--data-dir <folder>',
    'data folder of a local stack (default: .daycare, unless DAYCARE_MONGO_URL is set)',
  ],
  [
    '--users-dir <folder>',
    "folder with users' files (agent-runtime's DAYCARE_USERS_DIR); restore requires an empty one",
  ],
  [
    '--key <name=file>',
    `key file as NAME=FILE; backup reads it, restore creates it; NAME is one of ${keyNames.join(', ')}; repeatable`,
    { parse: collectValue },
  ],
  [
    '--database <service=name>',
    'database of a service as SERVICE=NAME, if it is not named after the service; repeatable',
    { parse: collectValue },
  ],
] as const;

/** The data folder of the local stack to use; undefined if no folder is given and DAYCARE_MONGO_URL is set. */
export function localDataDir({ dataDir }: InstallationOptions): string | undefined {
  if (dataDir !== undefined) return resolve(dataDir);
  return readConfig().env['DAYCARE_MONGO_URL']
    ? undefined
    : join(findWorkspaceRoot(__dirname), '.daycare');
}

/**
 * Finds where the installation keeps its data. `mongoUrl` is given for a local MongoDB that has just been started,
 * because its URL is not known before.
 */
export function findInstallation(
  options: InstallationOptions,
  mongoUrl = findUrl(options),
): BackupSource {
  const dataDir = localDataDir(options);
  const { env } = readConfig();
  const { DAYCARE_USERS_DIR: remoteUsers } = env;
  const usersDir = options.usersDir ?? (dataDir ? join(dataDir, 'users') : remoteUsers);
  return {
    mongoUrl,
    databases: findDatabases(options),
    usersDir: usersDir ? resolve(usersDir) : undefined,
    keys: { ...(dataDir ? localKeys(dataDir) : {}), ...readPairs(options.key, keyNames) },
  };
}

function localKeys(dataDir: string): KeyFiles {
  return {
    'vault-key': join(dataDir, vaultKeyFile),
    'credentials.json': join(dataDir, credentialsFile),
  };
}

function findDatabases({ database }: InstallationOptions): BackupSource['databases'] {
  const named = readPairs(database, serviceNames);
  return serviceNames.map((service) => ({ service, database: named[service] ?? service }));
}

function findUrl(options: InstallationOptions): string {
  const dataDir = localDataDir(options);
  if (dataDir === undefined) return readConfig().env['DAYCARE_MONGO_URL'] ?? '';
  const file = join(dataDir, 'mongo', 'url');
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    throw new Failure(
      exitCodes.usage,
      `No MongoDB was found: cannot read ${file}. Start the stack, or set DAYCARE_MONGO_URL and omit --data-dir.`,
    );
  }
}

function readPairs<Name extends KeyName | ServiceName>(
  pairs: readonly string[] = [],
  names: readonly Name[],
): Partial<Record<Name, string>> {
  const read = pairs.map((pair): [Name, string] => {
    const [typedName, ...value] = pair.split('=');
    const name = names.find((candidate) => candidate === typedName);
    if (name !== undefined && value.join('=') !== '') return [name, value.join('=')];
    throw new Failure(
      exitCodes.usage,
      `"${pair}" must be NAME=VALUE, where NAME is one of ${names.join(', ')}.`,
    );
  });
  return Object.fromEntries(read) as Partial<Record<Name, string>>;
}
