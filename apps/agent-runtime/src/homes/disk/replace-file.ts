import { constants } from 'node:fs';
import { open, rename, unlink } from 'node:fs/promises';
import { createId } from '@daycare/api/create-id';
import { AppError } from '@daycare/api';
import { explainError } from './explain-error';
import { using, type Pin } from './pin';

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;

export interface Replacement {
  /** The folder in which files are written before they are renamed into place; on the same file system as `folder`. */
  readonly draftsFolder: Pin;
  readonly folder: Pin;
  readonly name: string;
  readonly content: Uint8Array;
}

/**
 * Creates a file or replaces it atomically; once this resolves, the new content survives a crash. Returns the size of
 * the replaced file; undefined when there was none. The rename that replaces the file never follows a link, nor does it
 * affect another name of the replaced file.
 */
export async function replaceFile(replacement: Replacement): Promise<number | undefined> {
  const { draftsFolder, folder, name } = replacement;
  const replaced = await inspectExisting(folder, name);
  const draft = createId();
  try {
    await writeDraft(replacement, draft, replaced?.mode ?? 0o600);
    await rename(draftsFolder.at(draft), folder.at(name));
  } catch (error) {
    await unlink(draftsFolder.at(draft)).catch(() => undefined);
    throw explainError(error);
  }
  await sync(folder);
  return replaced?.size;
}

/**
 * Returns the size and mode of the file to replace, if there is one. The mode is kept, so that an executable stays
 * executable when its text is changed.
 */
async function inspectExisting(folder: Pin, name: string) {
  const entry = await folder.enter(name);
  if (!entry) return undefined;
  return using(entry, async ({ isPlainFile, stats: { size, mode } }) => {
    if (isPlainFile) return { size, mode: mode & 0o777 };
    throw new AppError('FAILED_PRECONDITION', `${JSON.stringify(name)} is not a regular file`);
  });
}

async function writeDraft(
  { draftsFolder, content }: Replacement,
  draft: string,
  mode: number,
): Promise<void> {
  const handle = await open(
    draftsFolder.at(draft),
    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW,
    0o600,
  );
  try {
    await handle.writeFile(content);
    await handle.chmod(mode);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function sync(folder: Pin): Promise<void> {
  const handle = await folder.openToRead();
  try {
    await handle?.sync();
  } finally {
    await handle?.close();
  }
}
