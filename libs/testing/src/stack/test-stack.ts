import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createCredentials,
  createNatsPasswords,
  type Credentials,
  type NatsPasswords,
  type ServerKind,
  type AppName,
} from '@daycare/local-stack';
import { testMongoUrl, testNatsPasswords, testNatsUrl } from '../test-servers';
import { uniqueName } from '../unique-name';
import {
  assembleStack,
  makeDatabaseOf,
  usersDirIn,
  type TestServer,
  type TestStack,
} from './assemble-stack';
import { isClusterRun, shardStack } from '../mongo/cluster-run';
import { CleanUp } from './clean-up';
import { startOwnCluster } from '../mongo/own-cluster';
import { startOwnReplicaSet, startOwnServer } from './own-servers';
import { createStackUsers } from '../mongo/stack-users';
import { startReplicas } from './test-replicas';

export type { TestServer, TestStack } from './assemble-stack';

export interface TestStackOptions {
  readonly services: readonly AppName[];
  /** How many processes a service has, by default one. Other services know only the first, unless `knowAllReplicas`. */
  readonly replicas?: Readonly<Partial<Record<AppName, number>>>;
  readonly knowAllReplicas?: boolean;
  /** A separate MongoDB and NATS, for tests that kill them. */
  readonly ownServers?: boolean;
  /** A separate MongoDB of three members, for tests that kill some of them. */
  readonly mongoMembers?: 3;
  /** A separate sharded MongoDB. */
  readonly ownCluster?: boolean;
  /** The stack's secrets, for tests that need a client's secret or must know the secrets beforehand. */
  readonly credentials?: Credentials;
  /** Added to the environment of every service; overrides what the stack sets. */
  readonly env?: NodeJS.ProcessEnv;
  /** Added to the environment of all replicas of one service; overrides `env`. */
  readonly envOf?: Readonly<Partial<Record<AppName, NodeJS.ProcessEnv>>>;
  /** Returns the path of a service's bundle; by default where the build puts it. */
  readonly bundleOf?: (name: AppName) => string;
  /** Fills the databases and the users' directories before any service starts. */
  readonly prepare?: (empty: EmptyStack) => Promise<void>;
}

/** A stack without data. */
export type EmptyStack = Pick<TestStack, 'mongoUrl' | 'databaseOf' | 'usersDir' | 'folder'>;

/** Runs built services as processes and resolves when all of them are serving. Call `stop` at the end. */
export async function startTestStack(options: TestStackOptions): Promise<TestStack> {
  const cleanUp = new CleanUp();
  try {
    return await startParts(options, cleanUp);
  } catch (error) {
    await cleanUp.run();
    throw error;
  }
}

async function startParts(options: TestStackOptions, cleanUp: CleanUp): Promise<TestStack> {
  const folder = await mkdtemp(join(tmpdir(), 'daycare-test-stack-'));
  cleanUp.add(() => rm(folder, { recursive: true, force: true }));
  await makeUsersDir(folder);
  const natsPasswords = options.ownServers ? createNatsPasswords() : testNatsPasswords();
  const { mongo, nats } = await startServers(options, folder, natsPasswords, cleanUp);
  const members = await startMembers(options, folder, cleanUp);
  const cluster = await startCluster(options, folder, cleanUp);
  const natsPrefix = uniqueName('test');
  const {
    services,
    replicas = {},
    env = {},
    envOf = {},
    bundleOf,
    knowAllReplicas = false,
    credentials = createCredentials(),
  } = options;
  const common = {
    credentials,
    folder,
    mongoUrl: cluster?.url ?? members?.url ?? mongo?.current.url ?? testMongoUrl(),
    natsUrl: nats?.current.url ?? testNatsUrl(),
    natsPasswords,
    natsPrefix,
  };
  const databaseOf = makeDatabaseOf(natsPrefix);
  const mongoUrlOf = await createStackUsers(common.mongoUrl, services, databaseOf);
  const isSharded = cluster ?? (!mongo && !members && isClusterRun(process.env));
  if (isSharded) await shardStack(common.mongoUrl, services, databaseOf);
  const { mongoUrl } = common;
  await options.prepare?.({ mongoUrl, databaseOf, usersDir: usersDirIn(folder), folder });
  const started = await startReplicas(
    {
      ...common,
      databaseOf,
      mongoUrlOf,
      services,
      replicas,
      knowAllReplicas,
      env,
      envOf,
      bundleOf,
    },
    cleanUp,
  );
  const stop = (): Promise<void> => cleanUp.run();
  return assembleStack({
    ...common,
    mongo,
    nats,
    mongoMembers: members?.members ?? [],
    services: started,
    stop,
  });
}

/** Creates the folder for the users' directories; agents' programs, which run under another user id, can enter it. */
async function makeUsersDir(folder: string): Promise<void> {
  const usersDir = usersDirIn(folder);
  await mkdir(usersDir);
  for (const path of [folder, usersDir]) await chmod(path, 0o711);
}

async function startServers(
  { ownServers }: TestStackOptions,
  folder: string,
  passwords: NatsPasswords | undefined,
  cleanUp: CleanUp,
): Promise<{ mongo: TestServer | undefined; nats: TestServer | undefined }> {
  if (!ownServers || !passwords) return { mongo: undefined, nats: undefined };
  const start = async (kind: ServerKind): Promise<TestServer> => {
    const server = await startOwnServer(kind, folder, passwords);
    cleanUp.add(() => server.stop());
    return server;
  };
  return { mongo: await start('mongo'), nats: await start('nats') };
}

async function startMembers({ mongoMembers }: TestStackOptions, folder: string, cleanUp: CleanUp) {
  if (!mongoMembers) return undefined;
  const replicaSet = await startOwnReplicaSet(folder);
  cleanUp.add(() => Promise.all(replicaSet.members.map((member) => member.stop(2_000))));
  return replicaSet;
}

async function startCluster({ ownCluster }: TestStackOptions, folder: string, cleanUp: CleanUp) {
  if (!ownCluster) return undefined;
  const cluster = await startOwnCluster(folder);
  cleanUp.add(() => Promise.all(cluster.servers.map((server) => server.stop(2_000))));
  return cluster;
}
