import { join, relative, resolve } from 'node:path';
import {
  adminHeaderFile,
  credentialsFile,
  findWorkspaceRoot,
  killLiveProcesses,
  LocalStack,
  type StackAddresses,
} from '@daycare/local-stack';
import { findLauncher } from '@daycare/local-stack/lookup';
import { createLocalLink } from '../../client/auth/console-link';
import { readHeader } from '../../client/contexts/local-stack';
import type { Config } from '../../config';
import { exitCodes } from '../../failure/exit-codes';
import { Failure } from '../../failure/failure';
import { modelLines } from '../../models/model-lines';
import { withAdmin } from '../../models/runtime-as';
import { Screen } from '../../terminal/screen';
import { listenForStop } from '../../terminal/stop-signals';
import { startDetached } from './detach';
import { dataDirFlag, UpScreen } from './up-screen';

const interruptedExitCode = 130;
const startScreenTimeoutMs = 5_000;

export interface UpOptions {
  readonly fresh?: boolean;
  readonly cluster?: boolean;
  readonly verbose?: boolean;
  readonly dataDir?: string;
  readonly detach?: boolean;
}

/**
 * Runs the whole stack on this machine until it receives a stop signal; resolves once every child
 * has exited. Rejects with a readable message when the stack cannot start.
 */
export async function runUp(options: UpOptions, config: Config): Promise<void> {
  const workspaceRoot = requireWorkspace();
  const { cluster = false } = options;
  const dataDir = dataDirOf(workspaceRoot, options);
  const screen = new UpScreen(new Screen(process.stdout, config), {
    verbose: options.verbose ?? false,
  });
  const stack: LocalStack = new LocalStack({
    workspaceRoot,
    dataDir,
    cluster,
    env: config.env,
    ports: config.ports,
    fresh: options.fresh ?? false,
    onEvent: (event) => {
      if (event.type === 'credentials-created') showCredential(stack, screen, dataDir);
      screen.showEvent(event);
    },
  });
  ignoreOutputErrors();
  const stopped = stopOnSignal(stack, screen);
  screen.showStart(showPath(dataDir));
  await Promise.race([startAndShow(stack, screen, dataDir), stopped]);
  await stopped;
}

/** Starts the stack in the background and shows its start screen. */
export async function runDetached({ detach: _, ...options }: UpOptions): Promise<void> {
  const dataDir = dataDirOf(requireWorkspace(), options);
  const running = findLauncher(dataDir);
  if (running !== undefined)
    throw new Failure(
      exitCodes.conflict,
      `Daycare is already running on ${dataDir} (process ${running}).`,
      'Stop it with "daycare stop", or choose another folder with --data-dir.',
    );
  const flags = (['fresh', 'cluster', 'verbose'] as const).filter((name) => options[name]);
  const args = [...flags.map((name) => `--${name}`), '--data-dir', dataDir];
  console.log(await startDetached(dataDir, args));
  const where = dataDirFlag(options.dataDir ?? (options.cluster ? showPath(dataDir) : undefined));
  console.log(`It is running in the background. Logs: "npx daycare logs${where}"`);
  console.log(`Stop it with "npx daycare stop${where}".`);
}

/** Returns the root of the repository, the only place that has the services' bundles. */
function requireWorkspace(): string {
  try {
    return findWorkspaceRoot(__dirname);
  } catch {
    throw new Failure(
      exitCodes.usage,
      'A stack can be started only from the Daycare repository; this installation contains only the CLI.',
      'Sign in to a running stack instead: daycare login --server HOST:PORT --token -',
    );
  }
}

function dataDirOf(workspaceRoot: string, { dataDir, cluster }: UpOptions): string {
  const defaultDir = join(workspaceRoot, cluster ? '.daycare-cluster' : '.daycare');
  return dataDir ? resolve(dataDir) : defaultDir;
}

async function startAndShow(stack: LocalStack, screen: UpScreen, dataDir: string): Promise<void> {
  const startMs = performance.now();
  const addresses = await stack.start().catch((error: unknown) => {
    screen.showFailure();
    throw error;
  });
  const tookMs = performance.now() - startMs;
  const model = await findModel(addresses, join(dataDir, adminHeaderFile));
  const shown = showPath(dataDir);
  screen.showAddresses(addresses, {
    tookMs,
    logs: join(shown, 'logs'),
    dataDir: shown === '.daycare' ? undefined : shown,
    model,
    consoleUrl: await findConsole(addresses, join(dataDir, adminHeaderFile)),
  });
}

/** Describes which model agents use, and how to change that; queried as the admin of this stack. */
async function findModel({ services }: StackAddresses, headerFile: string): Promise<string[]> {
  const addressOf = (service: string): string =>
    services.find(({ name }) => name === service)?.grpcAddress ?? '';
  const authorization = readHeader(headerFile);
  if (authorization === undefined) return [];
  const access = {
    identity: { address: addressOf('identity'), authorization },
    address: addressOf('agent-runtime'),
    timeoutMs: startScreenTimeoutMs,
    chosen: { name: 'stack', context: {} },
  };
  // The stack is up, and a failure of this query is no reason to stop it.
  return withAdmin(access, (runtime) => modelLines(runtime, '', ' --instance')).catch(() => []);
}

/** Creates a link that signs in the person who uses this machine; undefined if it cannot be created. */
async function findConsole(
  { services }: StackAddresses,
  headerFile: string,
): Promise<string | undefined> {
  const authorization = readHeader(headerFile);
  const [identity, gateway] = ['identity', 'gateway'].map((service) =>
    services.find(({ name }) => name === service),
  );
  if (authorization === undefined || !identity || !gateway) return undefined;
  const access = { context: 'stack', timeoutMs: startScreenTimeoutMs, authorization };
  const address = identity.grpcAddress;
  return createLocalLink({ ...access, address }, `http://${gateway.grpcAddress}`).catch(
    () => undefined,
  );
}

/**
 * Shows the admin credential as soon as it has been created. Even if this start fails, the next one would not show it
 * again.
 */
function showCredential({ credentials }: LocalStack, screen: UpScreen, dataDir: string): void {
  screen.showNewCredential(credentials.admin, join(showPath(dataDir), credentialsFile));
}

/** Resolves once a signal has arrived and everything is stopped. */
function stopOnSignal(stack: LocalStack, screen: UpScreen): Promise<void> {
  return new Promise((resolveStopped, reject) => {
    const stop = async (): Promise<void> => {
      const startMs = performance.now();
      screen.showStopping();
      await stack.stop();
      screen.showStopped(performance.now() - startMs);
    };
    listenForStop(process, {
      onStop: () => void stop().then(resolveStopped, reject),
      onSecondSignal: () => {
        killLiveProcesses();
        process.exit(interruptedExitCode);
      },
    });
  });
}

/** Keeps running when the terminal is closed, so that the children are still stopped in order. */
function ignoreOutputErrors(): void {
  process.stdout.on('error', () => undefined);
  process.stderr.on('error', () => undefined);
}

function showPath(path: string): string {
  const shown = relative(process.cwd(), path);
  return shown === '' || shown.startsWith('..') ? path : shown;
}
