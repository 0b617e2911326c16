import { readCallLimits, type CallLimits } from './call-limits-config';
import type { EnvReader } from './env-reader';
import { readNatsConfig, type NatsConfig } from './nats-config';
import { readTlsFor, type TlsConfig } from './tls-config';

/** The configuration that all services share. An app's own config.ts adds to it. */
export interface ServiceConfig extends CallLimits {
  /** The address of the gRPC server. */
  readonly listen: string;
  /** The address of /metrics, /livez and /readyz. */
  readonly httpListen: string;
  readonly logLevel: LogLevel;
  readonly reflection: boolean;
  readonly shutdownTimeoutMs: number;
  /** Certificates for server and clients; undefined for plaintext. */
  readonly tls: TlsConfig | undefined;
  /** An OTLP/HTTP collector for traces; empty for none. */
  readonly otlpUrl: string;
  /** How many of every thousand traces that begin here are exported. */
  readonly traceSamplePerMille: number;
}

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/** Reads the variables that all services share. The caller adds its own, then calls `env.done`. */
export function readServiceConfig(env: EnvReader): ServiceConfig {
  const listen = env.address('DAYCARE_LISTEN', {
    default: '127.0.0.1:50051',
    about: "the address of the gRPC server, or of the gateway's HTTP server",
  });
  return {
    listen,
    httpListen: env.address('DAYCARE_HTTP_LISTEN', {
      default: '0.0.0.0:9464',
      about: 'the address of /metrics, /livez and /readyz',
    }),
    logLevel: env.oneOf('DAYCARE_LOG_LEVEL', logLevels, {
      default: 'info',
      about: 'the lowest level that is logged',
    }),
    reflection: env.flag('DAYCARE_REFLECTION', {
      default: false,
      about: 'gRPC reflection, which describes the API to tools such as buf curl',
    }),
    shutdownTimeoutMs: env.integer('DAYCARE_SHUTDOWN_TIMEOUT_MS', {
      default: 10_000,
      min: 0,
      max: 600_000,
      about: 'how long calls in progress may take to end after SIGTERM',
    }),
    tls: readTlsFor(env, listen),
    ...readCallLimits(env),
    otlpUrl: env.url('OTEL_EXPORTER_OTLP_ENDPOINT', {
      schemes: ['http', 'https'],
      default: '',
      about: 'an OTLP/HTTP collector for traces; if it is not set, none are exported',
    }),
    traceSamplePerMille: env.integer('DAYCARE_TRACE_PER_MILLE', {
      default: 50,
      min: 0,
      max: 1000,
      about: 'how many of every thousand traces that begin here are exported',
    }),
  };
}

/** A service's database. */
export interface MongoConfig {
  readonly mongoUrl: string;
  readonly mongoDatabase: string;
}

/** Reads the MongoDB variables; by default a service's database has the service's name. */
export function readMongoConfig(env: EnvReader, service: string): MongoConfig {
  return {
    mongoUrl: env.url('DAYCARE_MONGO_URL', {
      schemes: ['mongodb', 'mongodb+srv'],
      about: "a replica set or a mongos, with the service's user",
    }),
    mongoDatabase: env.text('DAYCARE_MONGO_DATABASE', {
      default: service,
      about: "the name of the service's database",
    }),
  };
}

/** How a service other than identity authenticates to identity. */
export interface PeerConfig {
  readonly identityAddress: string;
  readonly serviceSecret: string;
}

function readPeerConfig(env: EnvReader): PeerConfig {
  return {
    identityAddress: env.target('DAYCARE_IDENTITY_ADDRESS', { about: 'the address of identity' }),
    serviceSecret: env.secret('DAYCARE_SERVICE_CREDENTIAL', {
      about: 'the secret by which identity recognises the service',
    }),
  };
}

/** The configuration of a service that has a database, exchanges messages and depends on identity. */
export interface PeerServiceConfig extends ServiceConfig, PeerConfig, MongoConfig, NatsConfig {}

/** Reads this configuration; the caller adds its own variables, then calls `env.done`. */
export function readPeerServiceConfig(env: EnvReader, service: string): PeerServiceConfig {
  return {
    ...readServiceConfig(env),
    ...readPeerConfig(env),
    ...readMongoConfig(env, service),
    ...readNatsConfig(env),
  };
}
