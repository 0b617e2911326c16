import { mkdir, writeFile } from 'node:fs/promises';
import { basename, extname, join, resolve } from 'node:path';
import type { FileReference } from '@daycare/contracts/agent-runtime';
import { exitCodes } from '../../failure/exit-codes';
import { Failure } from '../../failure/failure';
import type { Session } from '../session';

const maxAttempts = 1_000;

/** Downloads files into a folder, which is created if it does not exist. Yields each path once its file is saved. */
export async function* saveFiles(
  { daycare }: Pick<Session, 'daycare'>,
  files: readonly FileReference[],
  folder: string,
): AsyncGenerator<string> {
  for (const { id } of files) {
    const { name, bytes } = await daycare.files.download(id);
    yield await saveNewFile(folder, name, bytes);
  }
}

/** Writes a file under a safe form of its name, with a number if that name is taken; nothing is overwritten. */
export async function saveNewFile(
  folder: string,
  name: string,
  content: Uint8Array,
): Promise<string> {
  try {
    await mkdir(folder, { recursive: true });
    for (const candidate of candidates(safeName(name))) {
      const path = resolve(join(folder, candidate));
      if (await writeIfNew(path, content)) return path;
    }
  } catch (error) {
    throw new Failure(exitCodes.failure, `Cannot save ${name}: ${(error as Error).message}`);
  }
  throw new Failure(
    exitCodes.conflict,
    `Cannot save ${name}: ${folder} already has a file of that name and too many numbered copies of it.`,
  );
}

async function writeIfNew(path: string, content: Uint8Array): Promise<boolean> {
  try {
    await writeFile(path, content, { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function* candidates(name: string): Generator<string> {
  yield name;
  const extension = extname(name);
  const stem = name.slice(0, name.length - extension.length);
  for (let attempt = 2; attempt <= maxAttempts; attempt += 1)
    yield `${stem} (${attempt})${extension}`;
}

// Separators, characters that control the terminal or reorder text, and those that Windows does not allow.
const unsafe = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069/\\:*?"<>|]/g;

/** Returns a name that stays in its folder and is not hidden, whatever the sender called the file. */
export function safeName(name: string): string {
  const cleaned = basename(name).replace(unsafe, '_').replace(/^\.+/, '').trim();
  return cleaned === '' ? 'file' : cleaned;
}
