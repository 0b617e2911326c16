import os from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import type { ProcessHandle } from '../../process/managed-process';
import type { ServerBinary } from '../find-server';
import type { RunningServer } from '../running-server';
import { loadOrCreateMongoKey, type MongoKey } from './mongo-key';
import { ensureMongoUsers, usersOf } from './mongo-users';
import { advanceReplicaSet } from './replica-set';
import { startMember, type MemberOptions } from './start-member';
import { publishAddress, type MongoAddress } from './start-mongod';
import { startMongos } from './start-mongos';

/** The processes of a sharded cluster. */
export type MongoPart = 'mongo-config' | 'mongo-shard-1' | 'mongo-shard-2' | 'mongo-router';

const shards = ['mongo-shard-1', 'mongo-shard-2'] as const;

/** Starts one process, and may start it again whenever it exits. */
export type LaunchPart = (
  part: MongoPart,
  start: (onSpawn: (child: ProcessHandle) => void) => Promise<RunningServer>,
) => Promise<RunningServer>;

export interface MongoClusterOptions {
  readonly binary: ServerBinary;
  readonly env: NodeJS.ProcessEnv;
  /** Contains a folder for each process. */
  readonly dataDir: string;
  /** Users, each named after the database that it may use. */
  readonly users: readonly string[];
  readonly launch: LaunchPart;
  readonly startTimeoutMs?: number;
}

/**
 * Starts a sharded MongoDB on 127.0.0.1: a config server, two shards of one member each, and a router, whose
 * address is returned. A collection is stored on a single shard until it is sharded.
 */
export async function startMongoCluster(options: MongoClusterOptions): Promise<MongoAddress> {
  const key = await loadOrCreateMongoKey(join(options.dataDir, 'mongo'));
  const [config, ...members] = await Promise.all([
    launchMember(options, key, 'mongo-config'),
    ...shards.map((shard) => launchMember(options, key, shard)),
  ]);
  const router = await launchRouter(options, key, `mongo-config/127.0.0.1:${config.port}`);
  const { version } = config;
  const address = await publishAddress(join(options.dataDir, 'mongo'), key, { ...router, version });
  await addShards(address.url, members);
  return address;
}

function launchMember(
  options: MongoClusterOptions,
  key: MongoKey,
  part: Exclude<MongoPart, 'mongo-router'>,
): Promise<RunningServer> {
  const isConfig = part === 'mongo-config';
  const prepare: MemberOptions['prepare'] = async ({ client, host, wait }) => {
    await wait(() => advanceReplicaSet(client, { replicaSet: part, host, isConfig }));
    // The router reads the users from the config server.
    if (isConfig) await ensureMongoUsers(client, usersOf(key, options.users));
  };
  const role = isConfig ? 'config' : 'shard';
  const member = { key, role, prepare, replicaSet: part, keepsPort: true } as const;
  return options.launch(part, (onSpawn) =>
    startMember({ ...commonOptions(options, part), ...member, onSpawn }),
  );
}

function launchRouter(
  options: MongoClusterOptions,
  key: MongoKey,
  configServer: string,
): Promise<RunningServer> {
  // Clients know the first address, so every restart must use the same port.
  let port: number | undefined;
  return options.launch('mongo-router', async (onSpawn) => {
    const serverOptions = {
      ...commonOptions(options, 'mongo-router'),
      ...(port === undefined ? {} : { port }),
    };
    const router = await startMongos({ ...serverOptions, key, configServer, onSpawn });
    port = router.port;
    return router;
  });
}

function commonOptions(
  { binary, env, dataDir, startTimeoutMs }: MongoClusterOptions,
  part: MongoPart,
) {
  const timeout = startTimeoutMs === undefined ? {} : { startTimeoutMs };
  return { binary, env, dataDir: join(dataDir, part), ...timeout };
}

async function addShards(url: string, members: readonly RunningServer[]): Promise<void> {
  const client = new MongoClient(url, { runtimeAdapters: { os } });
  try {
    const admin = client.db('admin');
    const existing = (await admin.command({ listShards: 1 }))['shards'] as { host: string }[];
    for (const [index, { port }] of members.entries()) {
      const host = `${shards[index] ?? ''}/127.0.0.1:${port}`;
      if (!existing.some((shard) => shard.host === host)) await admin.command({ addShard: host });
    }
  } finally {
    await client.close();
  }
}
