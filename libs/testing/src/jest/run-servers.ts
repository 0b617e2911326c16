import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  claimDataDir,
  findServer,
  findWorkspaceRoot,
  startMongod,
  createNatsPasswords,
  startNatsServer,
  withCredentials,
  type NatsPasswords,
  type NatsAccess,
  type ProcessHandle,
  type RunFile,
  type RunningServer,
  type ServerKind,
} from '@daycare/local-stack';
import { isClusterRun } from '../mongo/cluster-run';
import { startOwnCluster } from '../mongo/own-cluster';
import { scratchRoot } from './scratch-root';

const folderPrefix = 'daycare-jest-';

interface RunServers {
  readonly urls: Readonly<Record<ServerKind, string>>;
  /** Undefined for a NATS server that was already running. */
  readonly natsPasswords: NatsPasswords | undefined;
  stop(): Promise<void>;
}

/** The servers and stacks of the current Jest run: added by global setup, stopped by global teardown. */
export const currentRun: { readonly parts: { stop(): Promise<void> }[] } = { parts: [] };

/** Starts one MongoDB and one NATS for a whole Jest run, in a folder that is removed when they are stopped. */
export async function startRunServers(env: NodeJS.ProcessEnv): Promise<RunServers> {
  await removeDeadRuns();
  const folder = await mkdtemp(join(scratchRoot(), folderPrefix));
  const runFile = await claimDataDir(folder);
  const started: RunningServer[] = [];
  const passwords = createNatsPasswords();
  const access = { passwords, prefix: '*', testPassword: passwords.identity };
  const stop = async (): Promise<void> => {
    await Promise.all(started.map((server) => server.stop(2_000)));
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const [mongo, nats] = await Promise.all(
      (['mongo', 'nats'] as const).map((kind) =>
        startServer(kind, { env, folder, runFile, started, access }),
      ),
    );
    const isNatsExternal = started.every(({ name }) => name !== 'nats-server');
    return {
      urls: { mongo: mongo ?? '', nats: nats ?? '' },
      natsPasswords: isNatsExternal ? undefined : access.passwords,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface RunContext {
  readonly env: NodeJS.ProcessEnv;
  readonly folder: string;
  readonly runFile: RunFile;
  readonly started: RunningServer[];
  readonly access: NatsAccess;
}

async function startServer(kind: ServerKind, context: RunContext): Promise<string> {
  const { env, folder, runFile, started, access } = context;
  const location = findServer(kind, { env, workspaceRoot: findWorkspaceRoot(__dirname) });
  if (location.kind === 'url') return location.url;
  if (kind === 'mongo' && isClusterRun(env)) {
    const cluster = await startOwnCluster(folder, (child) => runFile.record(child));
    started.push(...cluster.servers);
    return cluster.url;
  }
  const options = {
    binary: location.binary,
    env,
    dataDir: join(folder, kind),
    onSpawn: (child: ProcessHandle) => runFile.record(child),
  };
  const server = await (kind === 'mongo'
    ? startMongod(options)
    : startNatsServer({ ...options, access }));
  started.push(server);
  return kind === 'mongo'
    ? server.url
    : withCredentials(server.url, 'test', access.testPassword ?? '');
}

/** Stops servers that were left running when their Jest process was killed, and removes their folders. */
async function removeDeadRuns(): Promise<void> {
  const root = scratchRoot();
  const names = (await readdir(root)).filter((name) => name.startsWith(folderPrefix));
  const folders = names.map((name) => join(root, name));
  await Promise.all(
    folders
      .filter((folder) => existsSync(join(folder, 'run.json')))
      .map(async (folder) => {
        await claimDataDir(folder);
        await rm(folder, { recursive: true, force: true });
      })
      // The folder of a run that is still in progress cannot be claimed, and must be kept.
      .map((removal) => removal.catch(() => undefined)),
  );
}
