import {
  parseSubnet,
  type ConnectionLimits,
  type RateLimit,
  type StreamLimits,
  type Subnet,
} from '@daycare/rpc';
import type { EnvReader } from './env-reader';
import { readNatsConfig, type NatsConfig } from './nats-config';
import { readTlsFor, type TlsConfig } from './tls-config';

/** The configuration that all services share. An app's own config.ts adds to it. */
export interface ServiceConfig {
  /** The address of the gRPC server. */
  readonly listen: string;
  /** The address of /metrics, /livez and /readyz. */
  readonly httpListen: string;
  readonly logLevel: LogLevel;
  readonly reflection: boolean;
  readonly shutdownTimeoutMs: number;
  /** Certificates for server and clients; undefined for plaintext. */
  readonly tls: TlsConfig | undefined;
  /** How many calls a user, a client or an anonymous address may make per second and in a burst. */
  readonly rateLimit: RateLimit;
  /** How many streams may be open at a time. */
  readonly streamLimits: StreamLimits;
  readonly connectionLimits: ConnectionLimits;
  /** The proxies whose `x-forwarded-for` says where a call comes from. */
  readonly trustedProxies: readonly Subnet[];
  /** An OTLP/HTTP collector for traces; empty for none. */
  readonly otlpUrl: string;
  /** How many of a thousand new traces are recorded. */
  readonly traceSamplePerMille: number;
}

const hourMs = 3_600_000;

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/** Reads the variables that all services share. The caller adds its own, then calls `env.done`. */
export function readServiceConfig(env: EnvReader): ServiceConfig {
  const listen = env.address('DAYCARE_LISTEN', '127.0.0.1:50051');
  return {
    listen,
    httpListen: env.address('DAYCARE_HTTP_LISTEN', '0.0.0.0:9464'),
    logLevel: env.oneOf('DAYCARE_LOG_LEVEL', logLevels, 'info'),
    reflection: env.flag('DAYCARE_REFLECTION', false),
    shutdownTimeoutMs: env.integer('DAYCARE_SHUTDOWN_TIMEOUT_MS', 10_000, { min: 0, max: 600_000 }),
    tls: readTlsFor(env, listen),
    rateLimit: {
      perSecond: env.integer('DAYCARE_RATE_PER_SECOND', 200, { min: 1, max: 1_000_000 }),
      burst: env.integer('DAYCARE_RATE_BURST', 400, { min: 1, max: 1_000_000 }),
    },
    streamLimits: {
      perOwner: env.integer('DAYCARE_MAX_STREAMS_PER_USER', 32, { min: 1, max: 1_000_000 }),
      perAddress: env.integer('DAYCARE_MAX_STREAMS_PER_ADDRESS', 16, { min: 1, max: 1_000_000 }),
      inAll: env.integer('DAYCARE_MAX_STREAMS', 10_000, { min: 1, max: 1_000_000 }),
    },
    connectionLimits: {
      maxConcurrentCalls: env.integer('DAYCARE_MAX_CALLS_PER_CONNECTION', 1_000, {
        min: 1,
        max: 1_000_000,
      }),
      maxAgeMs: env.integer('DAYCARE_CONNECTION_AGE_MS', hourMs, { min: 1_000, max: 24 * hourMs }),
      ageGraceMs: env.integer('DAYCARE_CONNECTION_GRACE_MS', hourMs / 6, {
        min: 0,
        max: 24 * hourMs,
      }),
    },
    trustedProxies: readSubnets(env, 'DAYCARE_TRUSTED_PROXIES'),
    otlpUrl: env.url('OTEL_EXPORTER_OTLP_ENDPOINT', ['http', 'https'], ''),
    traceSamplePerMille: env.integer('DAYCARE_TRACE_PER_MILLE', 50, { min: 0, max: 1000 }),
  };
}

function readSubnets(env: EnvReader, name: string): Subnet[] {
  const texts = env.text(name, '').split(',');
  return texts.flatMap((text) => {
    if (text.trim() === '') return [];
    const subnet = parseSubnet(text);
    if (!subnet)
      env.problem(
        `${name} contains "${text.trim()}", but takes addresses or subnets, e.g. 10.0.0.0/8`,
      );
    return subnet ?? [];
  });
}

/** The database of a service. */
export interface MongoConfig {
  readonly mongoUrl: string;
  readonly mongoDatabase: string;
}

/** Reads the MongoDB variables; by default a service's database has the service's name. */
export function readMongoConfig(env: EnvReader, service: string): MongoConfig {
  return {
    mongoUrl: env.url('DAYCARE_MONGO_URL', ['mongodb', 'mongodb+srv']),
    mongoDatabase: env.text('DAYCARE_MONGO_DATABASE', service),
  };
}

/** How a service other than identity authenticates to it. */
export interface PeerConfig {
  readonly identityAddress: string;
  readonly serviceSecret: string;
}

function readPeerConfig(env: EnvReader): PeerConfig {
  return {
    identityAddress: env.target('DAYCARE_IDENTITY_ADDRESS'),
    serviceSecret: env.secret('DAYCARE_SERVICE_CREDENTIAL'),
  };
}

/** The configuration of a service with a database and messages that depends on identity. */
export interface PeerServiceConfig extends ServiceConfig, PeerConfig, MongoConfig, NatsConfig {}

/** Reads it; the caller adds its own variables, then calls `env.done`. */
export function readPeerServiceConfig(env: EnvReader, service: string): PeerServiceConfig {
  return {
    ...readServiceConfig(env),
    ...readPeerConfig(env),
    ...readMongoConfig(env, service),
    ...readNatsConfig(env),
  };
}
