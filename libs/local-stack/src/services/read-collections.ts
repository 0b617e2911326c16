import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { CollectionIndexes } from '@daycare/mongo';
import { cannotStart, reasonOf } from '../process/cannot-start';

/** Long, because the machine may be busy starting many processes. */
const timeoutMs = 120_000;
const maxBytes = 4 * 1024 * 1024;

/** Runs a service's bundle with `--collections` and returns the collections that it prints, with their shard keys. */
export async function readCollections(bundle: string): Promise<readonly CollectionIndexes[]> {
  const options = { timeout: timeoutMs, maxBuffer: maxBytes };
  try {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [bundle, '--collections'],
      options,
    );
    return JSON.parse(stdout) as CollectionIndexes[];
  } catch (error) {
    throw cannotStart(
      `${bundle} cannot describe its collections (${reasonOf(error)}); build it with "npm run build".`,
      error,
    );
  }
}
