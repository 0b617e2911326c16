import type { Subnet } from '@daycare/rpc';
import { readSubnets, type EnvReader } from '@daycare/service-kit';
import type { PortRange } from '../../domain/endpoints/endpoint-target';
import { fixedLimits, type EdgeLimits } from '../edge-limits';

/** The configuration of the HTTP edge. */
export interface EdgeConfig {
  /** Empty turns the edge off. */
  readonly listen: string;
  /** The public base URL; empty for the address it listens on. */
  readonly url: string;
  /** The ports that users may expose. */
  readonly ports: readonly PortRange[];
  /** The directory that contains users' home directories; empty when this process cannot reach them. */
  readonly usersDir: string;
  /** Encrypts the secrets of signed webhooks. */
  readonly secretKey: string;
  readonly localNetworks: readonly Subnet[];
  /** The proxies in front of the edge, whose `X-Forwarded-For` names the visitor. */
  readonly trustedProxies: readonly Subnet[];
  readonly limits: EdgeLimits;
}

const privateNetworks = [
  ...['127.0.0.0/8', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16'],
  ...['::1/128', 'fc00::/7', 'fe80::/10'],
].join(',');

/** If no key is configured, secrets are encrypted with one derived from the service's credential. */
export function readEdgeConfig(env: EnvReader, serviceSecret: string): EdgeConfig {
  return {
    listen: env.address('DAYCARE_EDGE_LISTEN', {
      default: '',
      about: "the address of the HTTP edge, which serves users' endpoints; empty turns it off",
    }),
    url: readUrl(env, 'DAYCARE_EDGE_URL'),
    ports: readPorts(env, 'DAYCARE_EDGE_PORTS'),
    usersDir: env.text('DAYCARE_USERS_DIR', {
      default: '',
      takes: 'a directory',
      about: "where users' files are, for endpoints that expose a socket in a home directory",
    }),
    secretKey: readKey(env, 'DAYCARE_EDGE_SECRET_KEY') || serviceSecret,
    localNetworks: readSubnets(env, 'DAYCARE_EDGE_LOCAL_NETWORKS', {
      default: privateNetworks,
      about:
        'the networks whose visitors count as local; behind a proxy that is not in DAYCARE_EDGE_TRUSTED_PROXIES, set it to the word none',
    }),
    trustedProxies: readSubnets(env, 'DAYCARE_EDGE_TRUSTED_PROXIES', {
      about: 'the proxies in front of the edge, whose `x-forwarded-for` names the visitor',
    }),
    limits: readLimits(env),
  };
}

function readKey(env: EnvReader, name: string): string {
  const key = env.secret(name, {
    default: '',
    takes: 'at least 16 characters',
    about:
      "encrypts the secrets of signed webhooks; without it, a key is derived from the service's credential",
  });
  if (key !== '' && key.length < 16) env.problem(`${name} must have at least 16 characters`);
  return key;
}

function readUrl(env: EnvReader, name: string): string {
  const url = env.url(name, {
    schemes: ['http', 'https'],
    default: '',
    about: 'where visitors reach the edge; empty for the address it listens on',
  });
  if (url !== '' && !URL.canParse(url))
    env.problem(`${name} is "${url}", but must be a URL such as https://edge.example`);
  return url;
}

function readLimits(env: EnvReader): EdgeLimits {
  const count = { min: 1, max: 1_000_000 };
  const rate = {
    perSecond: env.integer('DAYCARE_EDGE_RATE_PER_SECOND', {
      default: 50,
      ...count,
      about: 'requests per second to an endpoint, and from an address',
    }),
    burst: env.integer('DAYCARE_EDGE_RATE_BURST', {
      default: 200,
      ...count,
      about: 'how many requests may arrive in a burst, at an endpoint or from an address',
    }),
  };
  return {
    ...fixedLimits,
    maxBodyBytes: env.integer('DAYCARE_EDGE_MAX_BODY_BYTES', {
      default: 10 << 20,
      min: 0,
      max: 2 ** 40,
      about: 'the maximum size of a request body',
    }),
    connections: env.integer('DAYCARE_EDGE_CONNECTIONS', {
      default: 2_000,
      ...count,
      about: 'open connections in total',
    }),
    connectionsPerAddress: env.integer('DAYCARE_EDGE_CONNECTIONS_PER_ADDRESS', {
      default: 200,
      ...count,
      about:
        'open connections from an address; behind a trusted proxy, requests in progress from a visitor',
    }),
    connectionsPerEndpoint: env.integer('DAYCARE_EDGE_CONNECTIONS_PER_ENDPOINT', {
      default: 100,
      ...count,
      about: 'requests and WebSockets in progress at an endpoint',
    }),
    perEndpoint: rate,
    perAddress: rate,
    idleTimeoutMs: env.integer('DAYCARE_EDGE_IDLE_MS', {
      default: 120_000,
      min: 1_000,
      max: 86_400_000,
      about: 'how long a connection may be idle before it is closed',
    }),
  };
}

/** Reads ports and ranges such as `8000-8999,9100`. */
function readPorts(env: EnvReader, name: string): PortRange[] {
  return listOf(
    env.text(name, {
      default: '',
      takes: 'ports and ranges such as 8000-8999,9100',
      about: 'the ports of this machine that users may expose',
    }),
  ).map((part) => {
    const [, from = '', to = from] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(part) ?? [];
    const range = { from: Number(from), to: Number(to) };
    if (from === '' || range.from < 1 || range.to > 65_535 || range.from > range.to)
      env.problem(
        `${name} contains "${part}", but must list ports and ranges such as 8000-8999,9100`,
      );
    return range;
  });
}

function listOf(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
