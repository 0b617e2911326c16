import type { Credentials } from '../credentials/credentials';
import { addressVariable, type ServiceName } from '../services/service-catalog';

export interface ServiceEnvOptions {
  readonly name: ServiceName;
  /** What the launcher itself runs with; log level and the like pass through, secrets do not. */
  readonly base: NodeJS.ProcessEnv;
  readonly listen: string;
  readonly httpListen: string;
  /** Where topology serves its HTTP edge; undefined for everybody else. */
  readonly edgeListen?: string | undefined;
  readonly mongoUrl: string;
  readonly natsUrl: string;
  readonly peers: Readonly<Partial<Record<ServiceName, string>>>;
  /** Of the whole stack; the service is told no more than it needs. */
  readonly credentials: Credentials;
  /** Where users' own files are, for all replicas alike. */
  readonly usersDir: string;
  readonly shutdownTimeoutMs: number;
}

/** The environment of one service of a stack. */
export function buildServiceEnv(options: ServiceEnvOptions): NodeJS.ProcessEnv {
  // One value cannot be right for several services, so each falls back to its own name.
  const { DAYCARE_MONGO_DATABASE: _dropped, ...base } = withoutCredentials(options.base);
  return {
    DAYCARE_REFLECTION: 'on',
    DAYCARE_USERS_DIR: options.usersDir,
    ...(options.edgeListen === undefined ? {} : { DAYCARE_EDGE_LISTEN: options.edgeListen }),
    ...base,
    DAYCARE_LISTEN: options.listen,
    DAYCARE_HTTP_LISTEN: options.httpListen,
    DAYCARE_MONGO_URL: options.mongoUrl,
    DAYCARE_NATS_URL: options.natsUrl,
    DAYCARE_SHUTDOWN_TIMEOUT_MS: String(options.shutdownTimeoutMs),
    ...buildPeerEnv(options.peers),
    ...buildCredentialEnv(options.name, options.credentials),
  };
}

/** An environment without the secrets an operator has set in it: for everybody but their owner. */
export function withoutCredentials(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const {
    DAYCARE_CREDENTIALS: _all,
    DAYCARE_CREDENTIALS_FILE: _allFile,
    DAYCARE_SERVICE_CREDENTIAL: _own,
    DAYCARE_SERVICE_CREDENTIAL_FILE: _ownFile,
    ...rest
  } = env;
  return rest;
}

function buildPeerEnv(
  peers: Readonly<Partial<Record<ServiceName, string>>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(peers).map(([name, address]) => [addressVariable(name as ServiceName), address]),
  );
}

function buildCredentialEnv(name: ServiceName, credentials: Credentials): Record<string, string> {
  return name === 'identity'
    ? { DAYCARE_CREDENTIALS: JSON.stringify(credentials) }
    : { DAYCARE_SERVICE_CREDENTIAL: credentials.services[name] };
}
