import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { cannotStart, reasonOf } from '../process/cannot-start';
import { generateSecret } from './credentials';

/** Loads a secret from a file, or generates it into a file that only this user of the machine can read. */
export async function loadOrCreateSecret(file: string, generate = generateSecret): Promise<string> {
  const stored = await readIfPresent(file);
  if (stored !== undefined) return stored.trim();
  const secret = generate();
  await publish(file, `${secret}\n`, link);
  return secret;
}

/** Reads a file's text; undefined when there is no such file. */
export async function readIfPresent(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw cannotStart(`${file} cannot be read (${reasonOf(error)}); make it readable.`, error);
  });
}

/** Writes a file atomically. If the file exists, fails with `link` as `move`, and replaces it with `rename`. */
export async function publish(
  file: string,
  text: string,
  move: (from: string, to: string) => Promise<void>,
): Promise<void> {
  const draft = `${file}.${process.pid}`;
  try {
    await writeFile(draft, text, { mode: 0o600, flush: true });
    await move(draft, file);
  } finally {
    await rm(draft, { force: true });
  }
}
