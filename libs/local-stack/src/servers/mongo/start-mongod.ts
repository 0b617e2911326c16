import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { publish } from '../../credentials/secret-file';
import type { RunningServer, ServerOptions } from '../running-server';
import { loadOrCreateMongoKey, passwordOf, type MongoKey } from './mongo-key';
import { adminUser, ensureMongoUsers, usersOf, withMongoUser } from './mongo-users';
import { advanceReplicaSet } from './replica-set';
import { startMember } from './start-member';

export interface MongodOptions extends ServerOptions {
  /** Users, each named after the database that it may use. */
  readonly users?: readonly string[];
}

/** The addresses of a MongoDB deployment; `url` is the one for its admin. */
export interface MongoAddress {
  readonly url: string;
  readonly version: string;
  /** The address for one of the users. */
  readonly urlOf: (user: string) => string;
}

const replicaSet = 'daycare';

/**
 * Starts MongoDB as a single-node replica set on 127.0.0.1 and resolves when it accepts writes. Only its users can
 * connect. Creates missing users, even in a folder that already has data.
 */
export async function startMongod(options: MongodOptions): Promise<RunningServer & MongoAddress> {
  const key = await loadOrCreateMongoKey(options.dataDir);
  const mongod = await startMember({
    ...options,
    key,
    replicaSet,
    async prepare({ client, host, wait }) {
      await wait(() => advanceReplicaSet(client, { replicaSet, host }));
      await ensureMongoUsers(client, usersOf(key, options.users ?? []));
    },
  });
  return { ...mongod, ...(await publishAddress(options.dataDir, key, mongod)) };
}

/**
 * Returns the addresses for all users. The admin's address is also stored in the file `url`, for tools like mongosh.
 */
export async function publishAddress(
  folder: string,
  key: MongoKey,
  { url: bareUrl, version }: Pick<RunningServer, 'url' | 'version'>,
): Promise<MongoAddress> {
  const urlOf = (name: string): string =>
    withMongoUser(bareUrl, { name, password: passwordOf(key, name) });
  const url = urlOf(adminUser);
  await publish(join(folder, 'url'), `${url}\n`, rename);
  return { url, version, urlOf };
}
