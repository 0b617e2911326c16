import {
  findServer,
  findWorkspaceRoot,
  startMongoCluster,
  type ProcessHandle,
  type RunningServer,
} from '@daycare/local-stack';

/** Long, because four servers start at the same time. */
const startTimeoutMs = 120_000;

export interface OwnCluster {
  readonly url: string;
  readonly servers: readonly RunningServer[];
}

/** Starts a sharded MongoDB; stacks shard their databases on it. */
export async function startOwnCluster(
  folder: string,
  onSpawn: (child: ProcessHandle) => void = () => undefined,
): Promise<OwnCluster> {
  const { DAYCARE_MONGO_URL: _dropped, ...env } = process.env;
  const location = findServer('mongo', { env, workspaceRoot: findWorkspaceRoot(__dirname) });
  if (location.kind === 'url')
    throw new Error('a test cannot own a server that was already running');
  const servers: RunningServer[] = [];
  const { url } = await startMongoCluster({
    binary: location.binary,
    env,
    dataDir: folder,
    users: [],
    startTimeoutMs,
    async launch(_part, start) {
      const server = await start(onSpawn);
      servers.push(server);
      return server;
    },
  });
  return { url, servers };
}
