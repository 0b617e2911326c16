import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { MongoClient } from 'mongodb';
import { ManagedProcess } from '../../process/managed-process';
import { readPort, startOnRememberedPort } from '../remembered-port';
import {
  acceptsConnections,
  toRunningServer,
  waitForServer,
  type RunningServer,
  type ServerOptions,
} from '../running-server';
import type { MongoKey } from './mongo-key';
import { mongodArguments, type MongodPlan } from './mongod-arguments';
import { makeMongodRunnable } from '../packaged-mongod';
import { connectDirectly, servesFolder } from './replica-set';

/** A mongod that has been started but is not ready yet. */
export interface Member {
  /** A client with the rights of a member. */
  readonly client: MongoClient;
  readonly host: string;
  /** Polls until the attempt succeeds; fails when the mongod exits or the time is up. */
  readonly wait: <T>(attempt: () => Promise<T | undefined>) => Promise<T>;
}

export interface MemberOptions extends ServerOptions {
  readonly key: MongoKey;
  readonly replicaSet: string;
  readonly role?: MongodPlan['role'];
  /** Whether to use only the port of the last run, because other members know the address. */
  readonly keepsPort?: boolean;
  /** Called after every start to make the member ready. */
  readonly prepare?: (member: Member) => Promise<void>;
}

/**
 * Starts one mongod on 127.0.0.1. It uses the same port as in its last run on the same folder if that port is still
 * free.
 */
export async function startMember(options: MemberOptions): Promise<RunningServer> {
  const dbPath = join(options.dataDir, 'db');
  await mkdir(dbPath, { recursive: true });
  const file = join(options.dataDir, 'port');
  const required = options.port ?? (options.keepsPort ? await readPort(file) : undefined);
  const port = { name: 'MongoDB', file, ...(required === undefined ? {} : { required }) };
  return startOnRememberedPort(port, (chosen) => startOnPort(options, dbPath, chosen));
}

async function startOnPort(
  options: MemberOptions,
  dbPath: string,
  port: number,
): Promise<RunningServer> {
  const { key, replicaSet, role } = options;
  const program = makeMongodRunnable(options.binary, options.env, options.dataDir);
  const child = await ManagedProcess.spawn({
    name: 'mongod',
    command: program.path,
    args: mongodArguments({ dbPath, port, key, replicaSet, ...(role ? { role } : {}) }),
    env: program.env,
    logFile: options.logFile ?? join(options.dataDir, 'mongod.log'),
    ...(options.onSpawn ? { onSpawn: options.onSpawn } : {}),
  });
  const version = await waitUntilReady(child, { ...options, dbPath, port });
  const url = `mongodb://127.0.0.1:${port}/?replicaSet=${replicaSet}`;
  return toRunningServer(child, { url, port, version });
}

async function waitUntilReady(
  child: ManagedProcess,
  options: MemberOptions & { readonly dbPath: string; readonly port: number },
): Promise<string> {
  const { dbPath, port, key, startTimeoutMs, prepare } = options;
  const wait: Member['wait'] = (attempt) => waitForServer(child, attempt, startTimeoutMs);
  // The driver waits half a second between attempts; probing the port first saves most of that.
  await wait(() => acceptsConnections(port));
  const client = connectDirectly(port, key);
  try {
    // The next step may rewrite the replica set, so make sure that the server on this port is ours.
    await wait(() => servesFolder(client, dbPath));
    await prepare?.({ client, host: `127.0.0.1:${port}`, wait });
    return await readVersion(client);
  } finally {
    await client.close();
  }
}

async function readVersion(client: MongoClient): Promise<string> {
  const info = await client.db('admin').command({ buildInfo: 1 });
  return String(info['version']);
}
