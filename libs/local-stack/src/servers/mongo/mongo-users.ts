import { createHash } from 'node:crypto';
import type { Db, Document, MongoClient } from 'mongodb';
import { passwordOf, type MongoKey } from './mongo-key';

/** The user with all rights, for the launcher, operators and tests. */
export const adminUser = 'admin';

/** A MongoDB user, who may read and write a single database or, as the admin, everything. */
export interface MongoUser {
  readonly name: string;
  readonly password: string;
  /** Absent for the admin. */
  readonly database?: string;
}

/** Returns the admin, and a user for each of these databases. */
export function usersOf(key: MongoKey, databases: readonly string[]): MongoUser[] {
  const password = (name: string): string => passwordOf(key, name);
  const owners = databases.map((name) => ({ name, password: password(name), database: name }));
  return [{ name: adminUser, password: password(adminUser) }, ...owners];
}

/** Creates missing users and updates outdated ones. */
export async function ensureMongoUsers(
  client: MongoClient,
  users: readonly MongoUser[],
): Promise<void> {
  if (users.length === 0) return;
  const admin = client.db('admin');
  const fingerprints = await readFingerprints(admin, users);
  const outdated = users.filter((user) => fingerprints.get(user.name) !== fingerprintOf(user));
  for (const user of outdated) {
    const command = fingerprints.has(user.name) ? 'updateUser' : 'createUser';
    await admin.command({ [command]: user.name, ...definitionOf(user) });
  }
}

/** Adds a user's name and password to an address without any. */
export function withMongoUser(
  url: string,
  { name, password }: Pick<MongoUser, 'name' | 'password'>,
): string {
  return url.replace('mongodb://', `mongodb://${encodeURIComponent(name)}:${password}@`);
}

function definitionOf(user: MongoUser): Document {
  const { password, database } = user;
  return {
    pwd: password,
    roles: database === undefined ? ['root'] : [{ role: 'readWrite', db: database }],
    mechanisms: ['SCRAM-SHA-256'],
    customData: { mark: fingerprintOf(user) },
  };
}

async function readFingerprints(
  admin: Db,
  users: readonly MongoUser[],
): Promise<ReadonlyMap<string, string | undefined>> {
  const names = users.map(({ name }) => ({ user: name, db: 'admin' }));
  const found = await admin.command({ usersInfo: names });
  const stored = found['users'] as { user: string; customData?: { mark?: string } }[];
  return new Map(stored.map(({ user, customData }) => [user, customData?.mark]));
}

/**
 * Returns a hash of a user's definition. It is stored with the user, so that outdated users can be found. Passwords are
 * random, so the hash reveals nothing.
 */
function fingerprintOf({ name, password, database = '' }: MongoUser): string {
  return createHash('sha256')
    .update(JSON.stringify([name, password, database]))
    .digest('hex');
}
