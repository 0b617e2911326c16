import { createHmac, randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { loadOrCreateSecret } from '../../credentials/secret-file';

/** The secret that all members of a MongoDB deployment share, and the file they read it from. */
export interface MongoKey {
  readonly file: string;
  readonly text: string;
}

/** Loads the key stored in this folder, or creates it on the first run. */
export async function loadOrCreateMongoKey(folder: string): Promise<MongoKey> {
  await mkdir(folder, { recursive: true });
  const file = join(folder, 'key');
  return { file, text: await loadOrCreateSecret(file, generateKey) };
}

/** Returns a user's password: 256 bits derived from the key, so that it need not be stored. */
export function passwordOf({ text }: MongoKey, user: string): string {
  return createHmac('sha256', text).update(user).digest('base64url');
}

/** Generates hexadecimal digits, because mongod accepts only base64 characters in a key. */
function generateKey(): string {
  return randomBytes(32).toString('hex');
}
