import { createHmac } from 'node:crypto';
import type { Credentials } from '../credentials/credentials';
import { addressVariable, type AppName } from '../services/service-catalog';

export interface ServiceEnvOptions {
  readonly name: AppName;
  /** The launcher's own environment. Its settings are passed on, each secret only to the app that needs it. */
  readonly base: NodeJS.ProcessEnv;
  readonly listen: string;
  readonly httpListen: string;
  /** The address of topology's HTTP edge; undefined for other services. */
  readonly edgeListen?: string | undefined;
  readonly mongoUrl: string;
  readonly natsUrl: string;
  readonly peers: Readonly<Partial<Record<AppName, string>>>;
  /** The credentials of the whole stack; the service gets only those it needs. */
  readonly credentials: Credentials;
  /**
   * The key that encrypts the keys of model providers, unless `base` has another one; for agent-runtime only.
   */
  readonly vaultKey?: string;
  /** The folder with users' files, the same for all replicas. */
  readonly usersDir: string;
  readonly shutdownTimeoutMs: number;
}

/** Builds the environment of one service in a stack. */
export function buildServiceEnv(options: ServiceEnvOptions): NodeJS.ProcessEnv {
  // No database name fits all services, so the variable is dropped and each service uses its default name.
  const { DAYCARE_MONGO_DATABASE: _dropped, ...rest } = withOwnSecrets(options);
  const base =
    options.name === 'agent-runtime' ? withVaultKey(rest, options) : withoutModelKeys(rest);
  return {
    DAYCARE_REFLECTION: 'on',
    DAYCARE_USERS_DIR: options.usersDir,
    ...(options.edgeListen === undefined ? {} : { DAYCARE_EDGE_LISTEN: options.edgeListen }),
    ...buildProxyEnv(options),
    ...base,
    DAYCARE_LISTEN: options.listen,
    DAYCARE_HTTP_LISTEN: options.httpListen,
    ...buildInfraEnv(options),
    DAYCARE_SHUTDOWN_TIMEOUT_MS: String(options.shutdownTimeoutMs),
    ...buildPeerEnv(options.peers),
    ...buildCredentialEnv(options.name, options.credentials),
  };
}

/** Sets the addresses of MongoDB and NATS; the gateway gets none, because it stores nothing. */
function buildInfraEnv({ name, mongoUrl, natsUrl }: ServiceEnvOptions): NodeJS.ProcessEnv {
  return name === 'gateway'
    ? { DAYCARE_MONGO_URL: undefined, DAYCARE_NATS_URL: undefined }
    : { DAYCARE_MONGO_URL: mongoUrl, DAYCARE_NATS_URL: natsUrl };
}

/** Lets services trust the client address that the gateway reports, because they limit anonymous calls by address. */
function buildProxyEnv({ name, peers }: ServiceEnvOptions): NodeJS.ProcessEnv {
  if (name === 'gateway' || peers.gateway === undefined) return {};
  return { DAYCARE_TRUSTED_PROXIES: hostsOf(peers.gateway).join(',') };
}

/** Returns the hosts in an address, or in several addresses in gRPC's notation: `ipv4:a:1,b:2`. */
function hostsOf(target: string): readonly string[] {
  const addresses = target.replace(/^ipv4:/, '').split(',');
  return [...new Set(addresses.map((address) => address.slice(0, address.lastIndexOf(':'))))];
}

/** Builds the environment of MongoDB and NATS: the launcher's, without the secrets of services. */
export function buildServerEnv(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return withoutModelKeys(withoutCredentials(env));
}

/**
 * Secrets that an operator sets for a single service: identity's sign-in providers, with their client secrets, and the
 * key that encrypts the secrets of topology's webhooks.
 */
const ownSecrets: Readonly<Partial<Record<AppName, readonly string[]>>> = {
  identity: ['DAYCARE_OIDC_PROVIDERS', 'DAYCARE_OIDC_PROVIDERS_FILE'],
  topology: ['DAYCARE_EDGE_SECRET_KEY', 'DAYCARE_EDGE_SECRET_KEY_FILE'],
};

function withOwnSecrets({ name, base }: ServiceEnvOptions): NodeJS.ProcessEnv {
  const own = (ownSecrets[name] ?? []).filter((variable) => base[variable] !== undefined);
  return {
    ...withoutCredentials(base),
    ...Object.fromEntries(own.map((variable) => [variable, base[variable]])),
  };
}

function deriveSessionKey(secret: string): string {
  return createHmac('sha256', secret).update('gateway sessions').digest('base64url');
}

/**
 * Removes the secrets that an operator has set in the environment, except the keys of model providers and the vault
 * key, which `withoutModelKeys` removes.
 */
function withoutCredentials(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const {
    DAYCARE_CREDENTIALS: _all,
    DAYCARE_CREDENTIALS_FILE: _allFile,
    DAYCARE_SERVICE_CREDENTIAL: _own,
    DAYCARE_SERVICE_CREDENTIAL_FILE: _ownFile,
    DAYCARE_OIDC_PROVIDERS: _providers,
    DAYCARE_OIDC_PROVIDERS_FILE: _providersFile,
    DAYCARE_EDGE_SECRET_KEY: _edgeKey,
    DAYCARE_EDGE_SECRET_KEY_FILE: _edgeKeyFile,
    DAYCARE_GATEWAY_SESSION_KEY: _sessionKey,
    DAYCARE_GATEWAY_SESSION_KEY_FILE: _sessionKeyFile,
    ...rest
  } = env;
  return rest;
}

function withVaultKey(
  env: NodeJS.ProcessEnv,
  { vaultKey }: Pick<ServiceEnvOptions, 'vaultKey'>,
): NodeJS.ProcessEnv {
  const isGiven = [env['DAYCARE_VAULT_KEY'], env['DAYCARE_VAULT_KEY_FILE']].some(Boolean);
  return isGiven || !vaultKey ? env : { ...env, DAYCARE_VAULT_KEY: vaultKey };
}

/**
 * Matches the variables for keys of model providers, whatever the provider is called (`OPENAI_API_KEY`,
 * `DAYCARE_GROQ_API_KEY_FILE`), and for the vault key, which encrypts stored keys of providers.
 */
const modelKey = /^(?:(?:[A-Z0-9_]+_)?API_KEY|DAYCARE_VAULT_KEY)(?:_FILE)?$/;

/** Removes the keys of model providers and the vault key, which only agent-runtime needs. */
function withoutModelKeys(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !modelKey.test(name)));
}

/** Sets the addresses of all services, but not the gateway's, because no service calls the gateway. */
function buildPeerEnv(peers: Readonly<Partial<Record<AppName, string>>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(peers)
      .filter(([name]) => name !== 'gateway')
      .map(([name, address]) => [addressVariable(name as AppName), address]),
  );
}

function buildCredentialEnv(name: AppName, credentials: Credentials): Record<string, string> {
  // The gateway needs no credential, because it forwards its callers'. The key that encrypts its cookies is derived
  // from the admin secret, so it is the same after every restart; it reveals nothing about that secret.
  if (name === 'gateway')
    return { DAYCARE_GATEWAY_SESSION_KEY: deriveSessionKey(credentials.admin) };
  return name === 'identity'
    ? { DAYCARE_CREDENTIALS: JSON.stringify(credentials) }
    : { DAYCARE_SERVICE_CREDENTIAL: credentials.services[name] };
}
