import { resolve } from 'node:path';
import { AppError } from '@daycare/api';
import { makeBackup, restoreBackup, restoreLocally, type Manifest } from '@daycare/local-stack';
import { findWorkspaceRoot } from '@daycare/local-stack/lookup';
import { version } from '../../../package.json';
import { readConfig } from '../../config';
import { exitCodes } from '../../failure/exit-codes';
import { Failure } from '../../failure/failure';
import { defineCommand } from '../kit/command';
import {
  findInstallation,
  installationOptions,
  localDataDir,
  type InstallationOptions,
} from './installation';
import { summarizeBackup } from './summarize';

export const backupCommand = defineCommand<InstallationOptions>({
  name: 'backup',
  description: "back up a running installation (databases, users' files and keys) to a new folder",
  args: [['<folder>', 'folder that does not exist yet, or is empty']],
  options: installationOptions,
  examples: [
    'backup ./backup-monday',
    'backup ./backup --users-dir /srv/users --key vault-key=secrets/vault-key',
  ],
  async run({ args: [folder = ''], options }) {
    const target = resolve(folder);
    const manifest = await withReadableErrors(() =>
      makeBackup(findInstallation(options), target, version),
    );
    return summarizeBackup(manifest, `Backed up to ${target}`, target);
  },
});

export const restoreCommand = defineCommand<InstallationOptions & { readonly cluster?: boolean }>({
  name: 'restore',
  description: 'restore a backup into an empty installation whose services are not running',
  args: [['<folder>', 'backup folder']],
  options: [
    ...installationOptions,
    ['--cluster', 'restore for a local stack that you will start with --cluster'],
  ],
  examples: [
    'restore ./backup-monday --data-dir ./restored',
    'restore ./backup --users-dir /srv/users --key vault-key=secrets/vault-key',
  ],
  async run({ args: [folder = ''], options }) {
    const source = resolve(folder);
    const manifest = await withReadableErrors(() => restore(source, options));
    return { ...summarizeBackup(manifest, `Restored ${source}`, source), exitCode: exitCodes.ok };
  },
});

/** Restores a backup. For a local stack, starts its MongoDB and NATS and stops them again afterwards. */
function restore(
  source: string,
  options: InstallationOptions & { readonly cluster?: boolean },
): Promise<Manifest> {
  const dataDir = localDataDir(options);
  if (dataDir === undefined) return restoreBackup(source, findInstallation(options));
  return restoreLocally(
    source,
    {
      workspaceRoot: findWorkspaceRoot(__dirname),
      dataDir,
      env: readConfig().env,
      cluster: options.cluster ?? false,
    },
    (mongoUrl) => findInstallation(options, mongoUrl),
  );
}

async function withReadableErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AppError) throw new Failure(exitCodes.failure, `${error.message}.`);
    throw error;
  }
}
