import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { exitCodes } from '../../failure/exit-codes';
import { Failure } from '../../failure/failure';

/** Writes a file that only its owner can read, in folders that are created if missing; overwrites only with `force`. */
export async function writeNewFile(
  path: string,
  content: string | Uint8Array,
  force: boolean,
): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    // An existing file would keep its mode, with which others may be able to read it.
    if (force) await rm(path, { force: true });
    await writeFile(path, content, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    const exists = (error as NodeJS.ErrnoException).code === 'EEXIST';
    throw exists
      ? new Failure(exitCodes.conflict, `${path} already exists.`, 'Overwrite it with --force.')
      : new Failure(exitCodes.failure, `Cannot write ${path}: ${(error as Error).message}`);
  }
}
