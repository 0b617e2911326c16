import { cannotStart } from '../process/cannot-start';
import type { FoundServer } from '../servers/find-server';
import { startMongoCluster } from '../servers/mongo/start-mongo-cluster';
import { bundlePath, serviceNames, type AppName } from '../services/service-catalog';
import type { RunningParts } from './running-parts';
import { shardDatabases } from './shard-databases';
import type { InfraAddress } from './start-infra';

export interface MongoPartsOptions {
  readonly found: FoundServer;
  readonly dataDir: string;
  readonly env: NodeJS.ProcessEnv;
  readonly parts: RunningParts;
  readonly workspaceRoot: string;
  readonly bundleOf: ((name: AppName) => string) | undefined;
}

/** Starts a sharded MongoDB under supervision and shards the databases of the services. */
export async function startMongoParts(options: MongoPartsOptions): Promise<InfraAddress> {
  const { found, dataDir, env, parts, workspaceRoot, bundleOf } = options;
  if (found.kind === 'url')
    throw cannotStart('--cluster starts MongoDB itself; unset DAYCARE_MONGO_URL to use it.');
  const address = await startMongoCluster({
    binary: found.binary,
    env,
    dataDir,
    users: serviceNames,
    launch: (part, start) => parts.supervise(part, start).start(),
  });
  const databases = serviceNames.map((service) => ({
    service,
    database: service,
    bundle: bundleOf?.(service) ?? bundlePath(workspaceRoot, service),
  }));
  await shardDatabases(address.url, databases);
  return { ...address, external: false };
}
