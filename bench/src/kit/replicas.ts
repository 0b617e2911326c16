import { join } from 'node:path';
import {
  buildServiceEnv,
  bundlePath,
  chooseFreePort,
  startService,
  type Credentials,
  type RunningService,
  type ServiceName,
} from '@daycare/local-stack';

/** The services that are measured with several processes. */
const scaledServices = ['social-graph', 'agent-runtime'] as const;

export interface ReplicaSettings {
  readonly workspaceRoot: string;
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  readonly mongoUrl: string;
  /** The URL with which a service connects to NATS. */
  readonly natsUrlOf: (service: ServiceName) => string;
  readonly credentials: Credentials;
  readonly peers: Readonly<Partial<Record<ServiceName, string>>>;
}

/** A process in addition to the one that the stack itself runs. */
export interface Replica extends RunningService {
  readonly service: ServiceName;
}

/** Additional processes of some services, which use the same databases and streams as the stack's own. */
export class Replicas {
  readonly #settings: ReplicaSettings;
  #rounds: (readonly Replica[])[] = [];

  constructor(settings: ReplicaSettings) {
    this.#settings = settings;
  }

  get all(): readonly Replica[] {
    return this.#rounds.flat();
  }

  /** Starts or stops processes until each scaled service has `count` of them, including the stack's own. */
  async scaleTo(count: number): Promise<void> {
    while (this.#rounds.length < count - 1) {
      const round = scaledServices.map((service) => this.#start(service, this.#rounds.length + 2));
      this.#rounds.push(await Promise.all(round));
    }
    for (const round of this.#rounds.splice(count - 1))
      await Promise.all(round.map((replica) => replica.stop(5_000)));
  }

  async #start(service: ServiceName, replicaNumber: number): Promise<Replica> {
    const { workspaceRoot, folder, env: base, natsUrlOf, ...shared } = this.#settings;
    const [grpcPort, httpPort] = await Promise.all([chooseFreePort(), chooseFreePort()]);
    const env = buildServiceEnv({
      ...shared,
      natsUrl: natsUrlOf(service),
      base,
      name: service,
      listen: `127.0.0.1:${grpcPort}`,
      httpListen: `127.0.0.1:${httpPort}`,
      usersDir: join(folder, 'users'),
      shutdownTimeoutMs: 5_000,
    });
    const bundle = bundlePath(workspaceRoot, service);
    const logFile = join(folder, 'logs', `${service}-${replicaNumber}.log`);
    return { ...(await startService({ name: service, bundle, env, logFile })), service };
  }
}
