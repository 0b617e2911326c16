import { join } from 'node:path';
import {
  buildServiceEnv,
  bundlePath,
  findWorkspaceRoot,
  planPorts,
  startService,
  withNatsUser,
  type Credentials,
  type NatsPasswords,
  type PlannedPort,
  type AppName,
} from '@daycare/local-stack';
import { usersDirIn, type TestService } from './assemble-stack';
import type { CleanUp } from './clean-up';
import { Restartable } from './restartable';

/** Settings shared by the services of one test stack. */
export interface ReplicaOptions {
  readonly services: readonly AppName[];
  readonly replicas: Readonly<Partial<Record<AppName, number>>>;
  readonly env: NodeJS.ProcessEnv;
  readonly envOf: Readonly<Partial<Record<AppName, NodeJS.ProcessEnv>>>;
  readonly bundleOf: ((name: AppName) => string) | undefined;
  readonly knowAllReplicas: boolean;
  readonly folder: string;
  /** Returns one service's MongoDB URL. */
  readonly mongoUrlOf: (name: AppName) => string;
  readonly natsUrl: string;
  readonly natsPasswords: NatsPasswords | undefined;
  readonly natsPrefix: string;
  readonly credentials: Credentials;
  readonly databaseOf: (name: AppName) => string;
}

/** Long, because many stacks may start at the same time. */
const startTimeoutMs = 60_000;

type Peers = Readonly<Partial<Record<AppName, string>>>;

interface PlannedReplica {
  readonly name: AppName;
  readonly index: number;
  readonly grpc: PlannedPort;
  readonly http: PlannedPort;
}

/** Starts all replicas concurrently; `cleanUp` stops them. */
export async function startReplicas(
  options: ReplicaOptions,
  cleanUp: CleanUp,
): Promise<ReadonlyMap<AppName, readonly TestService[]>> {
  const planned = await planReplicas(options);
  cleanUp.add(() =>
    Promise.all(planned.flatMap(({ grpc, http }) => [grpc.release(), http.release()])),
  );
  const peers = await findPeers(planned, options.knowAllReplicas, cleanUp);
  const outcomes = await Promise.allSettled(
    planned.map(async (replica) => {
      const service = await startReplica(replica, peers, options);
      cleanUp.add(() => service.stop());
      return { name: replica.name, service };
    }),
  );
  const started = outcomes.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  });
  return new Map(
    options.services.map((name) => [
      name,
      started.filter((replica) => replica.name === name).map(({ service }) => service),
    ]),
  );
}

async function planReplicas(options: ReplicaOptions): Promise<PlannedReplica[]> {
  const wanted = options.services.flatMap((name) =>
    Array.from({ length: options.replicas[name] ?? 1 }, (_, index) => ({ name, index })),
  );
  const ports = await planPorts(wanted.flatMap(({ name }) => [{ owner: name }, { owner: name }]));
  return wanted.flatMap((replica, position) => {
    const [grpc, http] = ports.slice(position * 2);
    return grpc && http ? [{ ...replica, grpc, http }] : [];
  });
}

async function startReplica(
  { name, index, grpc, http }: PlannedReplica,
  peers: Peers,
  options: ReplicaOptions,
): Promise<TestService> {
  await Promise.all([grpc.open(), http.open()]);
  const env = {
    ...buildServiceEnv({
      name,
      peers,
      base: withoutExtraCertificates(process.env),
      listen: toAddress(grpc),
      httpListen: toAddress(http),
      mongoUrl: options.mongoUrlOf(name),
      natsUrl: withNatsUser(options.natsUrl, name, options.natsPasswords),
      credentials: options.credentials,
      usersDir: usersDirIn(options.folder),
      shutdownTimeoutMs: 5_000,
    }),
    DAYCARE_MONGO_DATABASE: options.databaseOf(name),
    DAYCARE_NATS_PREFIX: options.natsPrefix,
    ...options.env,
    ...options.envOf[name],
  };
  return Restartable.start(() =>
    startService({
      name,
      env,
      bundle: options.bundleOf?.(name) ?? bundlePath(findWorkspaceRoot(__dirname), name),
      logFile: join(options.folder, `${name}-${index}.log`),
      nodeOptions: isJestWorker(process.env) ? shortLivedOptions : [],
      startTimeoutMs,
    }),
  );
}

/**
 * Skips the full garbage collections that V8 runs a few seconds after the start, because they only return memory to the
 * system and account for a tenth of a story's cost.
 */
const shortLivedOptions = ['--no-memory-reducer'];

/**
 * Reports whether this is one of Jest's workers. All other processes run services as in an installation, because most
 * of them measure services; Jest's main process, which starts the shared stacks, is not a worker either.
 */
function isJestWorker(env: NodeJS.ProcessEnv): boolean {
  return env['JEST_WORKER_ID'] !== undefined;
}

/**
 * Returns the environment without extra certificates. Node reads them whenever it starts, which takes longer than the
 * rest of its start, and services under test connect to this machine only.
 */
function withoutExtraCertificates(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { ...env, NODE_EXTRA_CA_CERTS: undefined };
}

/** Every service gets the addresses of these services; nothing listens at the address of an absent one. */
const peersOfEveryService = ['identity', 'social-graph', 'agent-runtime', 'topology'] as const;

async function findPeers(
  all: readonly PlannedReplica[],
  knowAll: boolean,
  cleanUp: CleanUp,
): Promise<Peers> {
  const first = all.filter(({ index }) => index === 0);
  const addressesOf = (wanted: AppName): string[] =>
    all.filter(({ name }) => name === wanted).map(({ grpc }) => toAddress(grpc));
  const present = first.map(
    ({ name, grpc }) =>
      [name, knowAll ? `ipv4:${addressesOf(name).join(',')}` : toAddress(grpc)] as const,
  );
  const peers: Peers = Object.fromEntries(present);
  const absent = peersOfEveryService.filter((name) => peers[name] === undefined);
  const reserved = await planPorts(absent.map((owner) => ({ owner })));
  cleanUp.add(() => Promise.all(reserved.map((port) => port.release())));
  await Promise.all(reserved.map((port) => port.open()));
  const unreachable = absent.map((name, index) => [name, toAddress(reserved[index]!)] as const);
  return Object.fromEntries([...present, ...unreachable]);
}

function toAddress({ port }: PlannedPort): string {
  return `127.0.0.1:${port}`;
}
