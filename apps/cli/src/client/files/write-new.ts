import { mkdir, open, rm, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { exitCodes } from '../../failure/exit-codes';
import { Failure } from '../../failure/failure';

/** Creates a file as `openNewFile` does, and writes its content. */
export async function writeNewFile(
  path: string,
  content: string | Uint8Array,
  force: boolean,
): Promise<void> {
  const file = await openNewFile(path, force);
  try {
    await file.writeFile(content);
  } catch (error) {
    throw cannotWrite(path, error);
  } finally {
    await file.close();
  }
}

/**
 * Creates a file that only its owner can read, in folders that are created if missing; replaces an existing file only
 * with `force`. The caller closes it.
 */
export async function openNewFile(path: string, force: boolean): Promise<FileHandle> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    // An existing file would keep its mode, with which others may be able to read it.
    if (force) await rm(path, { force: true });
    return await open(path, 'wx', 0o600);
  } catch (error) {
    throw cannotWrite(path, error);
  }
}

function cannotWrite(path: string, error: unknown): Failure {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === 'EEXIST'
    ? new Failure(exitCodes.conflict, `${path} already exists.`, 'Overwrite it with --force.')
    : new Failure(exitCodes.failure, `Cannot write ${path}: ${message}`);
}
