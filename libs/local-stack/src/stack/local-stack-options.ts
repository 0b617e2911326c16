import type { AppName } from '../services/service-catalog';
import type { FreeBytes } from './check-data-dir';
import type { StackListener } from './stack-event';
import type { InfraAddress } from '../infra/start-infra';

export interface LocalStackOptions {
  /** The folder that contains nx.json, below which bundles and packaged servers are found. */
  readonly workspaceRoot: string;
  /** Where all data is stored between runs. Only one stack at a time may use a folder. */
  readonly dataDir: string;
  /** The environment of the children, and the source of DAYCARE_MONGO_URL, DAYCARE_CREDENTIALS and the like. */
  readonly env: NodeJS.ProcessEnv;
  /** Deletes the data of earlier runs before starting. */
  readonly fresh?: boolean;
  /** Runs a sharded MongoDB, three NATS servers and two processes of each service. */
  readonly cluster?: boolean;
  /** Which services to run; all of them by default. */
  readonly services?: readonly AppName[];
  /**
   * Ports set by a person, for a service's gRPC server or for the gateway; all other ports are chosen automatically.
   */
  readonly ports?: Readonly<Partial<Record<AppName, number>>>;
  /** Returns the path of a service's bundle; by default where the build puts it. */
  readonly bundleOf?: (name: AppName) => string;
  readonly shutdownTimeoutMs?: number;
  readonly onEvent?: StackListener;
  /** Returns the free disk space; replaced in tests only. */
  readonly freeBytes?: FreeBytes;
}

export interface ServiceAddress {
  readonly name: AppName;
  readonly grpcAddress: string;
  readonly httpAddress: string;
  /** The HTTP edge, which only topology has. */
  readonly edgeAddress?: string;
}

export interface StackAddresses {
  readonly mongo: InfraAddress;
  readonly nats: InfraAddress;
  readonly services: readonly ServiceAddress[];
}
