import type { ConnectionLimits, RateLimit, StreamLimits, Subnet } from '@daycare/rpc';
import type { EnvReader } from './env-reader';
import { readSubnets } from './read-subnets';

/** What a replica accepts from its callers. */
export interface CallLimits {
  /** How many calls a user, a client or an anonymous address may make per second and in a burst. */
  readonly rateLimit: RateLimit;
  /** How many streams may be open at a time. */
  readonly streamLimits: StreamLimits;
  readonly connectionLimits: ConnectionLimits;
  /** The proxies whose `x-forwarded-for` says where a call comes from. */
  readonly trustedProxies: readonly Subnet[];
}

const hourMs = 3_600_000;
const count = { min: 1, max: 1_000_000 };

export function readCallLimits(env: EnvReader): CallLimits {
  return {
    rateLimit: {
      perSecond: env.integer('DAYCARE_RATE_PER_SECOND', {
        default: 100,
        ...count,
        about:
          'calls per second from each user, client or anonymous address; calls that refresh or end a session are counted per session instead',
      }),
      burst: env.integer('DAYCARE_RATE_BURST', {
        default: 200,
        ...count,
        about: 'how many of these calls may be made in a burst',
      }),
    },
    streamLimits: readStreamLimits(env),
    connectionLimits: readConnectionLimits(env),
    trustedProxies: readSubnets(env, 'DAYCARE_TRUSTED_PROXIES', {
      about: 'the proxies whose `x-forwarded-for` says where a call comes from',
    }),
  };
}

function readStreamLimits(env: EnvReader): StreamLimits {
  return {
    perOwner: env.integer('DAYCARE_MAX_STREAMS_PER_USER', {
      default: 32,
      ...count,
      about: "open streams of a user, including the user's subusers and agents, or of a client",
    }),
    perAddress: env.integer('DAYCARE_MAX_STREAMS_PER_ADDRESS', {
      default: 16,
      ...count,
      about: 'open streams of all anonymous callers at one address',
    }),
    total: env.integer('DAYCARE_MAX_STREAMS', {
      default: 10_000,
      ...count,
      about:
        'open streams in total, except those of services and operators; about 50 kB of memory each',
    }),
  };
}

function readConnectionLimits(env: EnvReader): ConnectionLimits {
  return {
    maxConcurrentCalls: env.integer('DAYCARE_MAX_CALLS_PER_CONNECTION', {
      default: 1_000,
      ...count,
      about: 'calls in progress on a connection; further calls wait at the client',
    }),
    maxAgeMs: env.integer('DAYCARE_CONNECTION_AGE_MS', {
      default: hourMs,
      min: 1_000,
      max: 24 * hourMs,
      about: 'the age at which a connection is replaced',
    }),
    ageGraceMs: env.integer('DAYCARE_CONNECTION_GRACE_MS', {
      default: hourMs / 6,
      min: 0,
      max: 24 * hourMs,
      about: "how long a replaced connection's streams may continue",
    }),
  };
}
