import { link, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { cannotStart } from '../process/cannot-start';
import { createNatsPasswords, parseNatsPasswords, type NatsPasswords } from './nats-passwords';
import {
  adminAuthorization,
  createCredentials,
  parseCredentials,
  type Credentials,
} from './credentials';
import { loadOrCreateSecret, publish, readIfPresent } from './secret-file';

/** The file in the data folder that stores the credentials between runs. */
export const credentialsFile = 'credentials.json';

/** The file in the data folder that `buf curl -H @file` reads to call identity as the admin. */
export const adminHeaderFile = 'admin.header';

/** The file in the data folder with the key that encrypts the keys of model providers. */
export const vaultKeyFile = 'vault.key';

/** The file in the data folder with the services' passwords for the NATS server. */
export const natsPasswordsFile = 'nats-passwords.json';

export interface LoadedCredentials {
  readonly credentials: Credentials;
  /** Whether they were created just now. */
  readonly isNew: boolean;
}

/**
 * Loads the credentials stored in this data folder, or creates them on the first run. Credentials `given` by an
 * operator take precedence and are not stored. Always writes the admin's header file. The caller must have claimed the
 * folder.
 */
export async function loadOrCreateCredentials(
  dataDir: string,
  given?: Credentials,
): Promise<LoadedCredentials> {
  const loaded = given ? { credentials: given, isNew: false } : await readOrCreate(dataDir);
  const header = `authorization: ${adminAuthorization(loaded.credentials)}\n`;
  await publish(join(dataDir, adminHeaderFile), header, rename);
  return loaded;
}

/** Loads the key for encrypting stored secrets, or creates it on the first run. The folder must have been claimed. */
export async function loadOrCreateVaultKey(dataDir: string): Promise<string> {
  return loadOrCreateSecret(join(dataDir, vaultKeyFile));
}

/** Loads the NATS server's passwords, or creates them on the first run. The folder must have been claimed. */
export async function loadOrCreateNatsPasswords(dataDir: string): Promise<NatsPasswords> {
  const file = join(dataDir, natsPasswordsFile);
  const stored = await readIfPresent(file);
  if (stored === undefined) {
    const passwords = createNatsPasswords();
    await publish(file, `${JSON.stringify(passwords, null, 2)}\n`, link);
    return passwords;
  }
  const passwords = parseNatsPasswords(stored);
  if (passwords) return passwords;
  throw cannotStart(
    `${file} does not contain the NATS passwords of this stack; delete it to create new ones.`,
  );
}

async function readOrCreate(dataDir: string): Promise<LoadedCredentials> {
  const file = join(dataDir, credentialsFile);
  const stored = await readStored(file);
  if (stored) return { credentials: stored, isNew: false };
  const credentials = createCredentials();
  await publish(file, `${JSON.stringify(credentials, null, 2)}\n`, link);
  return { credentials, isNew: true };
}

async function readStored(file: string): Promise<Credentials | undefined> {
  const text = await readIfPresent(file);
  if (text === undefined) return undefined;
  const credentials = parseCredentials(text);
  if (credentials) return credentials;
  throw cannotStart(
    `${file} does not contain the credentials of this stack; repair it, or delete it to create new ones.`,
  );
}
