import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { MongoClient } from 'mongodb';
import { ManagedProcess } from '../process/managed-process';
import { makeMongodRunnable } from './packaged-mongod';
import { startOnRememberedPort } from './remembered-port';
import { advanceReplicaSet, connectDirectly, replicaSetName, servesFolder } from './replica-set';
import {
  acceptsConnections,
  toRunningServer,
  waitForServer,
  type RunningServer,
  type ServerOptions,
} from './running-server';

/**
 * Starts MongoDB as a single-node replica set on 127.0.0.1 and resolves when it accepts writes. The address
 * is that of the last run on the same folder if its port is still free.
 */
export async function startMongod(options: ServerOptions): Promise<RunningServer> {
  const dbPath = join(options.dataDir, 'db');
  await mkdir(dbPath, { recursive: true });
  const port = {
    name: 'MongoDB',
    file: join(options.dataDir, 'port'),
    ...(options.port === undefined ? {} : { required: options.port }),
  };
  return startOnRememberedPort(port, (chosen) => startOnPort(options, dbPath, chosen));
}

async function startOnPort(
  options: ServerOptions,
  dbPath: string,
  port: number,
): Promise<RunningServer> {
  const program = makeMongodRunnable(options.binary, options.env, options.dataDir);
  const child = await ManagedProcess.spawn({
    name: 'mongod',
    command: program.path,
    args: mongodArguments(dbPath, port),
    env: program.env,
    logFile: options.logFile ?? join(options.dataDir, 'mongod.log'),
    ...(options.onSpawn ? { onSpawn: options.onSpawn } : {}),
  });
  const version = await waitUntilWritable(child, { dbPath, port }, options.startTimeoutMs);
  const url = `mongodb://127.0.0.1:${port}/?replicaSet=${replicaSetName}`;
  return toRunningServer(child, { url, port, version });
}

function mongodArguments(dbPath: string, port: number): string[] {
  const parameters = [
    // Diagnostic files are useless on a developer's machine and cost disk space.
    'diagnosticDataCollectionEnabled=false',
    // There is no other member to hand over to, so no reason to wait when stopping.
    'shutdownTimeoutMillisForSignaledShutdown=0',
    // A killed process leaves its transaction open, and its documents locked, for this long.
    'transactionLifetimeLimitSeconds=3',
  ];
  return [
    ...['--dbpath', dbPath, '--port', String(port), '--bind_ip', '127.0.0.1'],
    ...['--replSet', replicaSetName, '--oplogSize', '256', '--wiredTigerCacheSizeGB', '0.25'],
    ...['--nounixsocket', '--quiet'],
    // Durable writes request the journal themselves; others need not be synced ten times a second.
    ...['--journalCommitInterval', '500'],
    // One eviction thread is enough when idle; more are started on demand.
    ...['--wiredTigerEngineConfigString', 'eviction=(threads_min=1,threads_max=4)'],
    ...parameters.flatMap((parameter) => ['--setParameter', parameter]),
  ];
}

async function waitUntilWritable(
  child: ManagedProcess,
  { dbPath, port }: { dbPath: string; port: number },
  timeoutMs?: number,
): Promise<string> {
  // The driver waits half a second between attempts; probing the port first saves most of that.
  await waitForServer(child, () => acceptsConnections(port), timeoutMs);
  const client = connectDirectly(port);
  try {
    // The next step rewrites the replica set, so make sure that it is ours.
    await waitForServer(child, () => servesFolder(client, dbPath), timeoutMs);
    await waitForServer(child, () => advanceReplicaSet(client, `127.0.0.1:${port}`), timeoutMs);
    return await readVersion(client);
  } finally {
    await client.close();
  }
}

async function readVersion(client: MongoClient): Promise<string> {
  const info = await client.db('admin').command({ buildInfo: 1 });
  return String(info['version']);
}
