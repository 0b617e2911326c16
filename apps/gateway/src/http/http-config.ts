import { readKeyPair, type EnvReader, type KeyPair } from '@daycare/service-kit';
import type { RateLimit } from '@daycare/rpc';

/** How the gateway serves HTTP. */
export interface HttpConfig {
  /** The origins whose pages may call the gateway, e.g. `https://console.example`. */
  readonly origins: ReadonlySet<string>;
  /** The certificate that visitors see; undefined for plaintext, behind a proxy that terminates TLS. */
  readonly tls: KeyPair | undefined;
  readonly limits: HttpLimits;
}

/** The limits on visitors in this process. The services limit each user. */
export interface HttpLimits {
  /** Requests from one address. */
  readonly rate: RateLimit;
  /** Requests from one address that are in progress, streams included. */
  readonly requestsPerAddress: number;
  /** Requests in progress in total. */
  readonly requests: number;
  readonly connections: number;
  readonly connectionsPerAddress: number;
}

const count = { min: 1, max: 1_000_000 };

export function readHttpConfig(env: EnvReader): HttpConfig {
  return {
    origins: readOrigins(env, 'DAYCARE_GATEWAY_ORIGINS'),
    tls: readKeyPair(
      env,
      { cert: 'DAYCARE_GATEWAY_TLS_CERT_FILE', key: 'DAYCARE_GATEWAY_TLS_KEY_FILE' },
      'the certificate that visitors see; without it, connections to the gateway are not encrypted, so leave it unset only behind a proxy that encrypts them',
    ),
    limits: {
      rate: {
        perSecond: env.integer('DAYCARE_GATEWAY_RATE_PER_SECOND', {
          default: 1_000,
          ...count,
          about: 'requests per second from an address',
        }),
        burst: env.integer('DAYCARE_GATEWAY_RATE_BURST', {
          default: 2_000,
          ...count,
          about: 'how many requests from an address may arrive in a burst',
        }),
      },
      requestsPerAddress: env.integer('DAYCARE_GATEWAY_REQUESTS_PER_ADDRESS', {
        default: 1_000,
        ...count,
        about: 'requests in progress from an address, streams included',
      }),
      requests: env.integer('DAYCARE_GATEWAY_REQUESTS', {
        default: 12_000,
        ...count,
        about: 'requests in progress in total',
      }),
      connections: env.integer('DAYCARE_GATEWAY_CONNECTIONS', {
        default: 12_000,
        ...count,
        about: 'open connections in total',
      }),
      connectionsPerAddress: env.integer('DAYCARE_GATEWAY_CONNECTIONS_PER_ADDRESS', {
        default: 1_000,
        ...count,
        about: 'open connections from an address',
      }),
    },
  };
}

/** An origin is compared as the browser sends it: only scheme, host and port. */
function readOrigins(env: EnvReader, name: string): ReadonlySet<string> {
  const texts = env
    .text(name, {
      default: '',
      takes: 'origins separated by commas, e.g. https://console.example',
      about: 'the origins whose pages may call the gateway',
    })
    .split(',');
  const origins = texts.map((text) => text.trim()).filter((text) => text !== '');
  for (const origin of origins) {
    if (URL.canParse(origin) && new URL(origin).origin === origin) continue;
    env.problem(
      `${name} contains "${origin}", but must list origins such as https://console.example`,
    );
  }
  return new Set(origins);
}
