import type { ServiceName } from '../services/service-catalog';
import type { FreeBytes } from './check-data-dir';
import type { StackListener } from './stack-event';
import type { InfraAddress } from './start-infra';

export interface LocalStackOptions {
  /** The folder that holds nx.json; bundles and packaged servers are found from it. */
  readonly workspaceRoot: string;
  /** Where everything is kept between runs. One stack at a time. */
  readonly dataDir: string;
  /** What the children run with, and where DAYCARE_MONGO_URL, DAYCARE_CREDENTIALS and the like are looked up. */
  readonly env: NodeJS.ProcessEnv;
  /** Forgets the data of earlier runs before starting. */
  readonly fresh?: boolean;
  /** Which services to run; all of them by default. */
  readonly services?: readonly ServiceName[];
  /** gRPC ports that a person asked for; anything else may be any free port. */
  readonly ports?: Readonly<Partial<Record<ServiceName, number>>>;
  /** Where the bundle of a service is; by default where the build puts it. */
  readonly bundleOf?: (name: ServiceName) => string;
  readonly shutdownTimeoutMs?: number;
  readonly onEvent?: StackListener;
  /** Asks for the free disk space; only tests give another answer. */
  readonly freeBytes?: FreeBytes;
}

export interface ServiceAddress {
  readonly name: ServiceName;
  readonly grpcAddress: string;
  readonly httpAddress: string;
}

export interface StackAddresses {
  readonly mongo: InfraAddress;
  readonly nats: InfraAddress;
  readonly services: readonly ServiceAddress[];
}
