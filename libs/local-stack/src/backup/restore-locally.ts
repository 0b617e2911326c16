import { LocalStack } from '../stack/local-stack';
import type { LocalStackOptions } from '../stack/local-stack-options';
import { requireNoOtherKeys, restoreKeys } from './keys';
import { verifyBackup, type Manifest } from './manifest';
import { restoreBackup, type RestoreTarget } from './restore';
import { requireEmptyFolder } from './write-users';

/**
 * Restores a backup into the data folder of a local stack that is not running: with its keys, and with its MongoDB
 * running meanwhile.
 */
export async function restoreLocally(
  folder: string,
  options: LocalStackOptions,
  targetAt: (mongoUrl: string) => RestoreTarget,
): Promise<Manifest> {
  const { keys, usersDir } = targetAt('');
  const manifest = await verifyBackup(folder);
  await requireNoOtherKeys(manifest.keys, keys);
  if (usersDir !== undefined) await requireEmptyFolder(usersDir);
  // Before the stack starts, which would create new keys.
  await restoreKeys(manifest.keys, keys, folder);
  const stack = new LocalStack({ ...options, services: [] });
  const { mongo } = await stack.start();
  try {
    return await restoreBackup(folder, targetAt(mongo.url));
  } finally {
    await stack.stop();
  }
}
