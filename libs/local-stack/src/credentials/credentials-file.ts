import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cannotStart, reasonOf } from '../cannot-start';
import {
  adminAuthorization,
  createCredentials,
  parseCredentials,
  type Credentials,
} from './credentials';

/** The file in the data folder that keeps the credentials between runs. */
export const credentialsFile = 'credentials.json';

/** The file in the data folder that `buf curl -H @file` reads to call identity as the admin. */
export const adminHeaderFile = 'admin.header';

export interface LoadedCredentials {
  readonly credentials: Credentials;
  /** They were made just now, so nobody has seen them yet. */
  readonly isNew: boolean;
}

/**
 * The credentials of earlier runs in this data folder, made on the first one; those `given` by an
 * operator come before both and are not kept. Writes the header file for them in any case. The caller
 * must have claimed the folder.
 */
export async function loadOrCreateCredentials(
  dataDir: string,
  given?: Credentials,
): Promise<LoadedCredentials> {
  const loaded = given ? { credentials: given, isNew: false } : await readOrMake(dataDir);
  const header = `authorization: ${adminAuthorization(loaded.credentials)}\n`;
  await publish(join(dataDir, adminHeaderFile), header, rename);
  return loaded;
}

async function readOrMake(dataDir: string): Promise<LoadedCredentials> {
  const file = join(dataDir, credentialsFile);
  const kept = await readKept(file);
  if (kept) return { credentials: kept, isNew: false };
  const credentials = createCredentials();
  await publish(file, `${JSON.stringify(credentials, null, 2)}\n`, link);
  return { credentials, isNew: true };
}

async function readKept(file: string): Promise<Credentials | undefined> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw cannotStart(`${file} cannot be read (${reasonOf(error)}); make it readable.`, error);
  });
  if (text === undefined) return undefined;
  const credentials = parseCredentials(text);
  if (credentials) return credentials;
  throw cannotStart(
    `${file} no longer holds the credentials of this stack; mend it, or remove it to have new ones made.`,
  );
}

/** The file appears whole or not at all; `link` never replaces one, `rename` does. */
async function publish(
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
