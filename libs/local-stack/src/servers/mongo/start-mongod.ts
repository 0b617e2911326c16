import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { MongoClient } from 'mongodb';
import { publish } from '../../credentials/secret-file';
import { ManagedProcess } from '../../process/managed-process';
import { startOnRememberedPort } from '../remembered-port';
import {
  acceptsConnections,
  toRunningServer,
  waitForServer,
  type RunningServer,
  type ServerOptions,
} from '../running-server';
import { loadOrCreateMongoKey, passwordOf, type MongoKey } from './mongo-key';
import { adminUser, ensureMongoUsers, urlFor, type MongoUser } from './mongo-users';
import { mongodArguments } from './mongod-arguments';
import { makeMongodRunnable } from './packaged-mongod';
import { advanceReplicaSet, connectDirectly, replicaSetName, servesFolder } from './replica-set';

export interface MongodOptions extends ServerOptions {
  /** Users, each named like the database that it may use. */
  readonly users?: readonly string[];
}

/** A MongoDB server; `url` is that of its admin. */
export interface RunningMongo extends RunningServer {
  /** The address for one of the users. */
  readonly urlOf: (user: string) => string;
}

interface Mongod {
  readonly dbPath: string;
  readonly port: number;
  readonly key: MongoKey;
}

/**
 * Starts MongoDB as a single-node replica set on 127.0.0.1 and resolves when it accepts writes of its users, and
 * of nobody else. The address is that of the last run on the same folder if its port is still free. A folder from
 * before there were users gets them.
 */
export async function startMongod(options: MongodOptions): Promise<RunningMongo> {
  const dbPath = join(options.dataDir, 'db');
  await mkdir(dbPath, { recursive: true });
  const key = await loadOrCreateMongoKey(options.dataDir);
  const port = {
    name: 'MongoDB',
    file: join(options.dataDir, 'port'),
    ...(options.port === undefined ? {} : { required: options.port }),
  };
  const mongo = await startOnRememberedPort(port, (chosen) =>
    startOnPort(options, { dbPath, key, port: chosen }),
  );
  // For a person's own tools, such as mongosh.
  await publish(join(options.dataDir, 'url'), `${mongo.url}\n`, rename);
  return mongo;
}

async function startOnPort(options: MongodOptions, mongod: Mongod): Promise<RunningMongo> {
  const { port, key } = mongod;
  const program = makeMongodRunnable(options.binary, options.env, options.dataDir);
  const child = await ManagedProcess.spawn({
    name: 'mongod',
    command: program.path,
    args: mongodArguments({ ...mongod, replicaSet: replicaSetName }),
    env: program.env,
    logFile: options.logFile ?? join(options.dataDir, 'mongod.log'),
    ...(options.onSpawn ? { onSpawn: options.onSpawn } : {}),
  });
  const users = usersOf(key, options.users ?? []);
  const version = await waitUntilWritable(child, mongod, users, options.startTimeoutMs);
  const bare = `mongodb://127.0.0.1:${port}/?replicaSet=${replicaSetName}`;
  const urlOf = (name: string): string => urlFor(bare, { name, password: passwordOf(key, name) });
  return { ...toRunningServer(child, { url: urlOf(adminUser), port, version }), urlOf };
}

function usersOf(key: MongoKey, names: readonly string[]): MongoUser[] {
  const services = names.map((name) => ({ name, password: passwordOf(key, name), database: name }));
  return [{ name: adminUser, password: passwordOf(key, adminUser) }, ...services];
}

async function waitUntilWritable(
  child: ManagedProcess,
  { dbPath, port, key }: Mongod,
  users: readonly MongoUser[],
  timeoutMs?: number,
): Promise<string> {
  // The driver waits half a second between attempts; probing the port first saves most of that.
  await waitForServer(child, () => acceptsConnections(port), timeoutMs);
  const client = connectDirectly(port, key);
  try {
    // The next step rewrites the replica set, so make sure that it is ours.
    await waitForServer(child, () => servesFolder(client, dbPath), timeoutMs);
    await waitForServer(child, () => advanceReplicaSet(client, `127.0.0.1:${port}`), timeoutMs);
    await ensureMongoUsers(client, users);
    return await readVersion(client);
  } finally {
    await client.close();
  }
}

async function readVersion(client: MongoClient): Promise<string> {
  const info = await client.db('admin').command({ buildInfo: 1 });
  return String(info['version']);
}
