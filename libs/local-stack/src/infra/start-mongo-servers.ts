import { cannotStart } from '../process/cannot-start';
import type { FoundServer } from '../servers/find-server';
import { startMongoCluster } from '../servers/mongo/start-mongo-cluster';
import { serviceNames, type AppName } from '../services/service-catalog';
import { shardDatabases } from '../services/shard-databases';
import type { InfraAddress, Supervise } from './start-infra';

export interface MongoServersOptions {
  readonly found: FoundServer;
  readonly dataDir: string;
  readonly env: NodeJS.ProcessEnv;
  readonly supervise: Supervise;
  readonly bundleOf: (name: AppName) => string;
}

/** Starts a sharded MongoDB under supervision and shards the services' databases. */
export async function startMongoServers(options: MongoServersOptions): Promise<InfraAddress> {
  const { found, dataDir, env, supervise, bundleOf } = options;
  if (found.kind === 'url')
    throw cannotStart(
      '--cluster starts its own MongoDB, so it cannot be combined with DAYCARE_MONGO_URL; unset the variable.',
    );
  const address = await startMongoCluster({
    binary: found.binary,
    env,
    dataDir,
    users: serviceNames,
    launch: (part, start) => supervise(part, start).start(),
  });
  const databases = serviceNames.map((service) => ({
    service,
    database: service,
    bundle: bundleOf(service),
  }));
  await shardDatabases(address.url, databases);
  return { ...address, external: false };
}
