import { join } from 'node:path';
import type { MongoClient } from 'mongodb';
import type { ServerBinary } from '../find-server';
import { poll } from '../../process/poll';
import { cannotStart } from '../../process/cannot-start';
import type { RunningServer } from '../running-server';
import { loadOrCreateMongoKey } from './mongo-key';
import { ensureMongoUsers, usersOf } from './mongo-users';
import { connectDirectly } from './replica-set';
import { startMember } from './start-member';
import { publishAddress, type MongoAddress } from './start-mongod';

const replicaSet = 'daycare';
const memberCount = 3;
/** After this long without a primary, another member takes over. */
const electionTimeoutMillis = 2_000;
const startTimeoutMs = 60_000;

export interface ReplicaSetOptions {
  readonly binary: ServerBinary;
  readonly env: NodeJS.ProcessEnv;
  /** Receives a folder for each member; must be empty before the start. */
  readonly dataDir: string;
  /** Starts one member, and may start it again. */
  readonly launch: (start: () => Promise<RunningServer>) => Promise<RunningServer>;
}

/** Starts a new replica set of three members on 127.0.0.1 and resolves when it has a primary. */
export async function startReplicaSet(options: ReplicaSetOptions): Promise<MongoAddress> {
  const { binary, env, dataDir, launch } = options;
  const key = await loadOrCreateMongoKey(dataDir);
  const common = { binary, env, key, replicaSet, keepsPort: true, startTimeoutMs };
  const members = await Promise.all(
    Array.from({ length: memberCount }, (_, index) =>
      launch(() => startMember({ ...common, dataDir: join(dataDir, `member-${index}`) })),
    ),
  );
  const hosts = members.map(({ port }) => `127.0.0.1:${port}`);
  const client = connectDirectly(members[0]?.port ?? 0, key);
  try {
    await initiate(client, hosts);
    await ensureMongoUsers(client, usersOf(key, []));
  } finally {
    await client.close();
  }
  const url = `mongodb://${hosts.join()}/?replicaSet=${replicaSet}`;
  return publishAddress(dataDir, key, { url, version: members[0]?.version ?? '' });
}

/** Sets up the replica set; the first member becomes the primary, since the others are still empty. */
async function initiate(client: MongoClient, hosts: readonly string[]): Promise<void> {
  const admin = client.db('admin');
  const members = hosts.map((host, _id) => ({ _id, host, priority: _id === 0 ? 2 : 1 }));
  const settings = { electionTimeoutMillis };
  await admin.command({ replSetInitiate: { _id: replicaSet, members, settings } });
  const isPrimary = async (): Promise<true | undefined> => {
    const hello = await admin.command({ hello: 1 });
    return hello['isWritablePrimary'] === true ? true : undefined;
  };
  await poll(isPrimary, {
    timeoutMs: startTimeoutMs,
    onTimeout: (cause) => cannotStart('The MongoDB replica set has elected no primary.', cause),
  });
}
