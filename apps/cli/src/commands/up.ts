import { join, relative, resolve } from 'node:path';
import {
  adminHeaderFile,
  credentialsFile,
  findWorkspaceRoot,
  killLiveProcesses,
  LocalStack,
} from '@daycare/local-stack';
import type { Config } from '../config';
import { Screen } from '../terminal/screen';
import { listenForStop } from '../terminal/stop-signals';
import { UpScreen } from './up-screen';

const interrupted = 130;

export interface UpOptions {
  readonly fresh?: boolean;
  readonly verbose?: boolean;
  readonly dataDir?: string;
}

/**
 * Runs the whole of Daycare here until it is told to stop; then resolves with everything ended.
 * Rejects with a sentence when it cannot start.
 */
export async function up(options: UpOptions, config: Config): Promise<void> {
  const workspaceRoot = findWorkspaceRoot(__dirname);
  const dataDir = options.dataDir ? resolve(options.dataDir) : join(workspaceRoot, '.daycare');
  const screen = new UpScreen(new Screen(process.stdout, config), {
    verbose: options.verbose ?? false,
  });
  const stack: LocalStack = new LocalStack({
    workspaceRoot,
    dataDir,
    env: config.env,
    ports: config.ports,
    fresh: options.fresh ?? false,
    onEvent: (event) => {
      if (event.type === 'credentials-made') showCredential(stack, screen, dataDir);
      screen.showEvent(event);
    },
  });
  surviveClosedTerminal();
  const stopped = stopOnSignal(stack, screen);
  screen.showBeginning(showPath(dataDir));
  await Promise.race([startAndShow(stack, screen, dataDir), stopped]);
  await stopped;
}

async function startAndShow(stack: LocalStack, screen: UpScreen, dataDir: string): Promise<void> {
  const beganMs = performance.now();
  const addresses = await stack.start();
  const tookMs = performance.now() - beganMs;
  const shown = showPath(dataDir);
  screen.showAddresses(addresses, {
    tookMs,
    logs: join(shown, 'logs'),
    adminHeader: join(shown, adminHeaderFile),
    dataDir: shown === '.daycare' ? undefined : shown,
  });
}

/** At once, not when all is ready: a first start that fails is not followed by another first one. */
function showCredential({ credentials }: LocalStack, screen: UpScreen, dataDir: string): void {
  screen.showNewCredential(credentials.admin, join(showPath(dataDir), credentialsFile));
}

/** Resolves when a signal has come and everything has been stopped. */
function stopOnSignal(stack: LocalStack, screen: UpScreen): Promise<void> {
  return new Promise((resolveStopped, reject) => {
    const stop = async (): Promise<void> => {
      const beganMs = performance.now();
      screen.showStopping();
      await stack.stop();
      screen.showStopped(performance.now() - beganMs);
    };
    listenForStop(process, {
      onStop: () => void stop().then(resolveStopped, reject),
      onHurry: () => {
        killLiveProcesses();
        process.exit(interrupted);
      },
    });
  });
}

/** The children still have to be stopped in order when nobody reads what we print any more. */
function surviveClosedTerminal(): void {
  process.stdout.on('error', () => undefined);
  process.stderr.on('error', () => undefined);
}

function showPath(path: string): string {
  const shown = relative(process.cwd(), path);
  return shown === '' || shown.startsWith('..') ? path : shown;
}
