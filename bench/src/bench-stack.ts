import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  adminAuthorization,
  chooseFreePort,
  describeExit,
  findWorkspaceRoot,
  LocalStack,
  serviceNames,
  type ServiceName,
  type StackAddresses,
  type StackEvent,
} from '@daycare/local-stack';

/** The servers and services that are measured: real processes on free ports in a temporary folder. */
export interface BenchStack {
  readonly mongoUrl: string;
  readonly natsUrl: string;
  readonly versions: { readonly mongodb: string; readonly nats: string };
  readonly env: NodeJS.ProcessEnv;
  /** The operator's credential, for calls that prepare or measure. */
  readonly adminMetadata: { readonly authorization: string };
  /** For files that may go away with the stack. */
  readonly scratchDir: string;
  /** Parts that ended by themselves; figures taken then are worth nothing. */
  readonly crashes: readonly string[];
  addressOf(service: ServiceName): string;
  stop(): Promise<void>;
}

/** The limits that guard against a caller like this one. */
const unlimited = {
  DAYCARE_RATE_PER_SECOND: '1000000',
  DAYCARE_RATE_BURST: '1000000',
  DAYCARE_FRIEND_REQUESTS_PER_HOUR: '1000000',
  DAYCARE_FRIEND_REQUESTS_PENDING: '1000000',
};

/** Starts the stack; when `signal` is aborted meanwhile, nothing of it is left and it throws. */
export async function startBenchStack(
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<BenchStack> {
  const scratchDir = await mkdtemp(join(tmpdir(), 'daycare-bench-'));
  const crashes: string[] = [];
  const stack = new LocalStack({
    workspaceRoot: findWorkspaceRoot(__dirname),
    dataDir: scratchDir,
    env: { ...env, ...unlimited },
    ports: await chooseServicePorts(),
    onEvent: (event) => noteCrash(event, crashes),
  });
  const stop = async (): Promise<void> => {
    await stack.stop();
    await rm(scratchDir, { recursive: true, force: true });
  };
  try {
    const addresses = await startUnlessAborted(stack, signal);
    const adminMetadata = { authorization: adminAuthorization(stack.credentials) };
    return { ...describeStack(addresses), adminMetadata, env, scratchDir, crashes, stop };
  } catch (error) {
    await stop();
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

/** The well-known ports are left to `npm start`. */
async function chooseServicePorts(): Promise<Partial<Record<ServiceName, number>>> {
  const ports = await Promise.all(
    serviceNames.map(async (name) => [name, await chooseFreePort()] as const),
  );
  return Object.fromEntries(ports);
}

function noteCrash(event: StackEvent, crashes: string[]): void {
  if (event.type === 'exited') crashes.push(`${event.part} ${describeExit(event.exit)}`);
}

function describeStack({ mongo, nats, services }: StackAddresses) {
  const addresses = new Map(services.map(({ name, grpcAddress }) => [name, grpcAddress]));
  return {
    mongoUrl: mongo.url,
    natsUrl: nats.url,
    versions: { mongodb: mongo.version, nats: nats.version },
    addressOf(service: ServiceName): string {
      const address = addresses.get(service);
      if (address === undefined) throw new Error(`${service} is not part of the stack`);
      return address;
    },
  };
}
