import type { NatsPasswords } from '../credentials/nats-passwords';
import type { FoundServer, ServerKind } from '../servers/find-server';
import type { AppName } from '../services/service-catalog';
import { startInfra, type InfraAddress, type Supervise } from './start-infra';
import { startMongoServers } from './start-mongo-servers';
import { startNatsServers } from './start-nats-servers';

export type Servers = Readonly<Record<ServerKind, InfraAddress>>;

export interface ServersOptions {
  readonly found: Readonly<Record<ServerKind, FoundServer>>;
  readonly dataDir: string;
  readonly env: NodeJS.ProcessEnv;
  readonly supervise: Supervise;
  readonly natsPasswords: NatsPasswords;
  /** Whether to start a sharded MongoDB and three NATS servers instead of one server each. */
  readonly cluster: boolean;
  /** The path of a service's bundle, which describes the collections of the service. */
  readonly bundleOf: (name: AppName) => string;
  /** Calls `start`, which starts a server, and reports its progress. */
  readonly report: <T extends object>(part: ServerKind, start: () => Promise<T>) => Promise<T>;
}

/** Starts MongoDB and NATS, or checks those that are already running. */
export async function startServers(options: ServersOptions): Promise<Servers> {
  const { found, cluster, report } = options;
  const natsAccess = { passwords: options.natsPasswords, prefix: natsPrefixIn(options.env) };
  const [mongo, nats] = await Promise.all([
    report('mongo', () =>
      cluster
        ? startMongoServers({ ...options, found: found.mongo })
        : startInfra('mongo', found.mongo, { ...options, natsAccess }),
    ),
    report('nats', () =>
      cluster
        ? startNatsServers({ ...options, found: found.nats, access: natsAccess })
        : startInfra('nats', found.nats, { ...options, natsAccess }),
    ),
  ]);
  return { mongo, nats };
}

/**
 * Reads the prefix of NATS subjects, which the accounts of the NATS server contain. Must return the same prefix as the
 * services read from this variable.
 */
function natsPrefixIn(env: NodeJS.ProcessEnv): string {
  const prefix = env['DAYCARE_NATS_PREFIX'] ?? '';
  return prefix === '' ? 'daycare' : prefix;
}
