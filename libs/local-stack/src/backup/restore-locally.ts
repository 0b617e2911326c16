import { LocalStack } from '../stack/local-stack';
import type { LocalStackOptions } from '../stack/local-stack-options';
import { requireNoOtherKeys, restoreKeys } from './keys';
import { verifyBackup, type Manifest } from './manifest';
import { restoreBackup, type RestoreTarget } from './restore';
import { requireEmptyFolder } from './write-users';

/**
 * Restores a backup, including its keys, into the data folder of a local stack that is not running. Runs the
 * stack's servers, but no services, for as long as this takes.
 */
export async function restoreLocally(
  folder: string,
  options: LocalStackOptions,
  makeTarget: (mongoUrl: string) => RestoreTarget,
): Promise<Manifest> {
  const { keys, usersDir } = makeTarget('');
  const manifest = await verifyBackup(folder);
  await requireNoOtherKeys(manifest.keys, keys);
  if (usersDir !== undefined) await requireEmptyFolder(usersDir);
  // Keys come first, because a stack that starts without keys creates new ones.
  await restoreKeys(manifest.keys, keys, folder);
  const stack = new LocalStack({ ...options, services: [] });
  const { mongo } = await stack.start();
  try {
    return await restoreBackup(folder, makeTarget(mongo.url));
  } finally {
    await stack.stop();
  }
}
