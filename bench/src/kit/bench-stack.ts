import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  adminAuthorization,
  appNames,
  chooseFreePort,
  describeExit,
  findWorkspaceRoot,
  LocalStack,
  withNatsUser,
  type AppName,
  type ServiceName,
  type StackAddresses,
  type StackEvent,
} from '@daycare/local-stack';
import { prepareMonitoredNats } from './monitored-nats';
import { Replicas } from './replicas';

/** A process, with its name in the report; all replicas of a service have the same name. */
export interface NamedProcess {
  readonly name: string;
  readonly pid: number;
}

/** The servers and services to measure: real processes on free ports, with their data in a temporary folder. */
export interface BenchStack {
  readonly mongoUrl: string;
  readonly versions: { readonly mongodb: string; readonly nats: string };
  readonly env: NodeJS.ProcessEnv;
  /** The admin credential, for calls that prepare or measure. */
  readonly adminMetadata: { readonly authorization: string };
  /** A folder that is deleted with the stack. */
  readonly scratchDir: string;
  /**
   * Descriptions of the stack's own processes that exited unexpectedly; if there are any, the figures are not valid.
   */
  readonly crashes: readonly string[];
  /** The URL at which NATS serves `/varz`. */
  readonly natsMonitorUrl: string;
  addressOf(service: AppName): string;
  /** The addresses at which the replicas of a service accept calls. */
  addressesOf(service: ServiceName): string[];
  /** The URLs at which the replicas of a service serve their metrics. */
  metricsUrlsOf(service: ServiceName): string[];
  /** The running processes of the stack. */
  processes(): NamedProcess[];
  /** Runs this many processes each of social-graph and agent-runtime. */
  scaleTo(replicas: number): Promise<void>;
  stop(): Promise<void>;
}

/** Settings that raise the services' limits so far that the bench does not reach them. */
const unlimited = {
  DAYCARE_RATE_PER_SECOND: '1000000',
  DAYCARE_MAX_STREAMS_PER_USER: '1000000',
  DAYCARE_RATE_BURST: '1000000',
  DAYCARE_FRIEND_REQUESTS_PER_HOUR: '1000000',
  DAYCARE_FRIEND_REQUESTS_PENDING: '1000000',
  DAYCARE_MESSAGES_PER_HOUR: '1000000',
  DAYCARE_MESSAGES_WAITING: '1000000',
  DAYCARE_GUEST_TURNS_PER_HOUR: '1000000',
  DAYCARE_GATEWAY_RATE_PER_SECOND: '1000000',
  DAYCARE_GATEWAY_RATE_BURST: '1000000',
  DAYCARE_MAX_FOREGROUND_AGENTS: '10000',
  DAYCARE_MAX_NAMED_AGENTS: '10000',
  DAYCARE_MAX_SUBUSERS: '1000',
};

/** Starts the stack. If `signal` is aborted in the meantime, throws and leaves nothing running. */
export async function startBenchStack(
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<BenchStack> {
  const scratchDir = await mkdtemp(join(tmpdir(), 'daycare-bench-'));
  const crashes: string[] = [];
  const workspaceRoot = findWorkspaceRoot(__dirname);
  const nats = await prepareMonitoredNats(env, workspaceRoot, scratchDir);
  const serviceEnv = { ...env, ...unlimited, ...nats.env };
  const stack = new LocalStack({
    workspaceRoot,
    dataDir: scratchDir,
    env: serviceEnv,
    ports: await chooseServicePorts(),
    onEvent: (event) => recordCrash(event, crashes),
  });
  const clean = async (): Promise<void> => {
    await stack.stop();
    await rm(scratchDir, { recursive: true, force: true });
  };
  try {
    const addresses = await startUnlessAborted(stack, signal);
    const { credentials } = stack;
    const settings = { workspaceRoot, folder: scratchDir, env: serviceEnv, credentials };
    const { natsUrl, ...connections } = connectionsOf(addresses);
    const natsUrlOf = (name: ServiceName): string =>
      withNatsUser(natsUrl, name, stack.natsPasswords);
    const replicas = new Replicas({ ...settings, ...connections, natsUrlOf });
    const stop = async (): Promise<void> => {
      await replicas.scaleTo(1);
      await clean();
    };
    const adminMetadata = { authorization: adminAuthorization(credentials) };
    const natsMonitorUrl = nats.monitorUrl;
    const facts = { adminMetadata, env, scratchDir, crashes, natsMonitorUrl };
    return { ...facts, ...describeStack(stack, addresses, replicas), stop };
  } catch (error) {
    await clean();
    throw error;
  }
}

async function startUnlessAborted(stack: LocalStack, signal: AbortSignal): Promise<StackAddresses> {
  const stop = (): void => void stack.stop();
  signal.addEventListener('abort', stop);
  try {
    const addresses = await stack.start();
    signal.throwIfAborted();
    return addresses;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Chooses free ports, so that the default ones remain available to `npm start`. */
async function chooseServicePorts(): Promise<Partial<Record<AppName, number>>> {
  const ports = await Promise.all(
    appNames.map(async (name) => [name, await chooseFreePort()] as const),
  );
  return Object.fromEntries(ports);
}

function recordCrash(event: StackEvent, crashes: string[]): void {
  if (event.type === 'exited') crashes.push(`${event.part} ${describeExit(event.exit)}`);
}

function connectionsOf({ mongo, nats, services }: StackAddresses) {
  const peers = services.map(({ name, grpcAddress }) => [name, grpcAddress] as const);
  return { mongoUrl: mongo.url, peers: Object.fromEntries(peers), natsUrl: nats.url };
}

function describeStack(stack: LocalStack, addresses: StackAddresses, replicas: Replicas) {
  const { mongo, nats, services } = addresses;
  const find = (service: AppName) => {
    const own = services.filter(({ name }) => name === service);
    return [...own, ...replicas.all.filter((replica) => replica.service === service)];
  };
  return {
    mongoUrl: mongo.url,
    versions: { mongodb: mongo.version, nats: nats.version },
    addressOf: (service: AppName): string => find(service)[0]!.grpcAddress,
    addressesOf: (service: ServiceName): string[] =>
      find(service).map(({ grpcAddress }) => grpcAddress),
    metricsUrlsOf: (service: ServiceName): string[] =>
      find(service).map(({ httpAddress }) => `http://${httpAddress}/metrics`),
    processes: (): NamedProcess[] => [
      ...listProcesses(stack),
      ...replicas.all.map(({ service, pid }) => ({ name: service, pid })),
    ],
    scaleTo: (count: number): Promise<void> => replicas.scaleTo(count),
  };
}

function listProcesses(stack: LocalStack): NamedProcess[] {
  const servers = [['mongod', 'mongo'] as const, ['nats', 'nats'] as const];
  const services = appNames.map((name) => [name, name] as const);
  return [...servers, ...services].flatMap(([name, part]) => {
    const pid = stack.pidOf(part);
    return pid === undefined ? [] : [{ name, pid }];
  });
}
