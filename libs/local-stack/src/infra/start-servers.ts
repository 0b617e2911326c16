import type { FoundServer, ServerKind } from '../servers/find-server';
import type { NatsAccess } from '../servers/nats/nats-config';
import type { AppName } from '../services/service-catalog';
import { startInfra, type InfraAddress, type Supervise } from './start-infra';
import { startMongoParts } from './start-mongo-parts';
import { startNatsParts } from './start-nats-parts';

export type Servers = Readonly<Record<ServerKind, InfraAddress>>;

export interface ServersOptions {
  readonly found: Readonly<Record<ServerKind, FoundServer>>;
  readonly dataDir: string;
  readonly env: NodeJS.ProcessEnv;
  readonly supervise: Supervise;
  readonly natsAccess: NatsAccess;
  /** A sharded MongoDB and three NATS servers instead of one of each. */
  readonly cluster: boolean;
  /** Where the collections of a service are described. */
  readonly bundleOf: (name: AppName) => string;
  /** Reports the start of a server. */
  readonly report: <T extends object>(part: ServerKind, start: () => Promise<T>) => Promise<T>;
}

/** Starts MongoDB and NATS, or checks those that are already running. */
export async function startServers(options: ServersOptions): Promise<Servers> {
  const { found, cluster, report } = options;
  const [mongo, nats] = await Promise.all([
    report('mongo', () =>
      cluster
        ? startMongoParts({ ...options, found: found.mongo })
        : startInfra('mongo', found.mongo, options),
    ),
    report('nats', () =>
      cluster
        ? startNatsParts({ ...options, found: found.nats, access: options.natsAccess })
        : startInfra('nats', found.nats, options),
    ),
  ]);
  return { mongo, nats };
}
