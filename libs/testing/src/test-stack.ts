import { chmod, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  adminAuthorization,
  createCredentials,
  type Credentials,
  type RunningServer,
  type ServerKind,
  type ServiceName,
} from '@daycare/local-stack';
import { CleanUp } from './clean-up';
import { startOwnServer } from './own-servers';
import type { Restartable } from './restartable';
import { startReplicas, type TestService } from './test-replicas';
import { testMongoUrl, testNatsUrl } from './test-servers';
import { uniqueName } from './unique-name';

export interface TestStackOptions {
  readonly services: readonly ServiceName[];
  /** How many processes of a service; one unless said otherwise. Peers are told of the first. */
  readonly replicas?: Readonly<Partial<Record<ServiceName, number>>>;
  /** A MongoDB and a NATS of its own, for tests that kill them. */
  readonly ownServers?: boolean;
  /** The secrets of the stack, for tests that need a client or know them beforehand. */
  readonly credentials?: Credentials;
  /** Added to the environment of every service; comes before anything the stack says. */
  readonly env?: NodeJS.ProcessEnv;
  /** The same for the replicas of one service alone; comes before `env`. */
  readonly envOf?: Readonly<Partial<Record<ServiceName, NodeJS.ProcessEnv>>>;
  /** Where the bundle of a service is; by default where the build puts it. */
  readonly bundleOf?: (name: ServiceName) => string;
}

export type TestServer = Restartable<RunningServer>;

/** Services under test, on ports, databases and streams that nobody else uses. */
export interface TestStack {
  readonly mongoUrl: string;
  readonly natsUrl: string;
  readonly natsPrefix: string;
  readonly credentials: Credentials;
  /** Metadata of a call to identity by the admin. */
  readonly adminMetadata: { readonly authorization: string };
  /** The servers, only with `ownServers`. */
  readonly mongo: TestServer | undefined;
  readonly nats: TestServer | undefined;
  readonly databaseOf: (name: ServiceName) => string;
  /** One process of a service, the first unless said otherwise. */
  readonly service: (name: ServiceName, replica?: number) => TestService;
  /** Where that process takes gRPC calls; the same after a restart. */
  readonly addressOf: (name: ServiceName, replica?: number) => string;
  /** Where the users' own directories are. */
  readonly usersDir: string;
  /** All that each process has logged so far. */
  readonly readLogs: () => Promise<ReadonlyMap<string, string>>;
  readonly stop: () => Promise<void>;
}

/** Runs built services as processes and resolves when all of them serve. Call `stop` at the end. */
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
  const usersDir = await makeUsersDir(folder);
  const { mongo, nats } = await startServers(options, folder, cleanUp);
  const natsPrefix = uniqueName('test');
  const {
    services,
    replicas = {},
    env = {},
    envOf = {},
    bundleOf,
    credentials = createCredentials(),
  } = options;
  const common = {
    credentials,
    mongoUrl: mongo?.current.url ?? testMongoUrl(),
    natsUrl: nats?.current.url ?? testNatsUrl(),
    natsPrefix,
    databaseOf: (name: ServiceName) => `${natsPrefix}-${name}`,
  };
  const started = await startReplicas(
    { ...common, services, replicas, env, envOf, bundleOf, folder },
    cleanUp,
  );
  const service = (name: ServiceName, replica = 0): TestService => {
    const found = started.get(name)?.[replica];
    if (found) return found;
    throw new Error(`${name} ${replica} is not part of this test stack`);
  };
  const addressOf = (name: ServiceName, replica?: number): string =>
    service(name, replica).current.grpcAddress;
  const readLogs = () => readLogsIn(folder);
  const adminMetadata = { authorization: adminAuthorization(credentials) };
  const stop = (): Promise<void> => cleanUp.run();
  const parts = { service, addressOf, usersDir, readLogs, stop };
  return { ...common, adminMetadata, mongo, nats, ...parts };
}

/** Agents' programs run under another user id, which has to get there. */
async function makeUsersDir(folder: string): Promise<string> {
  const usersDir = join(folder, 'users');
  await mkdir(usersDir);
  for (const path of [folder, usersDir]) await chmod(path, 0o711);
  return usersDir;
}

async function readLogsIn(folder: string): Promise<ReadonlyMap<string, string>> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.log'));
  const read = async (name: string) => [name, await readFile(join(folder, name), 'utf8')] as const;
  return new Map(await Promise.all(files.map(read)));
}

async function startServers(
  { ownServers }: TestStackOptions,
  folder: string,
  cleanUp: CleanUp,
): Promise<{ mongo: TestServer | undefined; nats: TestServer | undefined }> {
  if (!ownServers) return { mongo: undefined, nats: undefined };
  const start = async (kind: ServerKind): Promise<TestServer> => {
    const server = await startOwnServer(kind, folder);
    cleanUp.add(() => server.stop());
    return server;
  };
  return { mongo: await start('mongo'), nats: await start('nats') };
}
