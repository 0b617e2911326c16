import { addressVariable, type ServiceName } from '../services/service-catalog';

export interface ServiceEnvOptions {
  /** What the launcher itself runs with; log level and the like pass through. */
  readonly base: NodeJS.ProcessEnv;
  readonly listen: string;
  readonly httpListen: string;
  readonly mongoUrl: string;
  readonly natsUrl: string;
  readonly peers: Readonly<Partial<Record<ServiceName, string>>>;
  readonly shutdownTimeoutMs: number;
}

/** The environment of one service of a stack. */
export function buildServiceEnv(options: ServiceEnvOptions): NodeJS.ProcessEnv {
  // One value cannot be right for several services, so each falls back to its own name.
  const { DAYCARE_MONGO_DATABASE: _dropped, ...base } = options.base;
  return {
    DAYCARE_REFLECTION: 'on',
    ...base,
    DAYCARE_LISTEN: options.listen,
    DAYCARE_HTTP_LISTEN: options.httpListen,
    DAYCARE_MONGO_URL: options.mongoUrl,
    DAYCARE_NATS_URL: options.natsUrl,
    DAYCARE_SHUTDOWN_TIMEOUT_MS: String(options.shutdownTimeoutMs),
    ...buildPeerEnv(options.peers),
  };
}

export function buildPeerEnv(
  peers: Readonly<Partial<Record<ServiceName, string>>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(peers).map(([name, address]) => [addressVariable(name as ServiceName), address]),
  );
}
