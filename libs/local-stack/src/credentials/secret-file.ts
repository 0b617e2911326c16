import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { cannotStart, reasonOf } from '../process/cannot-start';
import { generateSecret } from './credentials';

/**
 * Loads a secret from a file. If there is no such file, generates the secret and stores it so that only the current
 * user of the machine can read it. Throws if the file is empty.
 */
export async function loadOrCreateSecret(file: string, generate = generateSecret): Promise<string> {
  const stored = (await readIfPresent(file))?.trim();
  if (stored === '')
    throw cannotStart(
      `${file} is empty; restore it from a backup, or delete it to create a new one.`,
    );
  if (stored !== undefined) return stored;
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

/**
 * Writes a file atomically. If the file already exists, it is replaced if `move` is `rename`; if `move` is `link`, the
 * call fails.
 */
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
