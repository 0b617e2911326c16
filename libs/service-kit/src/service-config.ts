import type { EnvReader } from './env-reader';

/** What every service is told. An app's own config.ts adds to it. */
export interface ServiceConfig {
  /** Where gRPC is served. */
  readonly listen: string;
  /** Where /metrics, /livez and /readyz are served. */
  readonly httpListen: string;
  readonly logLevel: LogLevel;
  readonly reflection: boolean;
  readonly shutdownTimeoutMs: number;
  /** An OTLP/HTTP collector for traces; empty sends none. */
  readonly otlpUrl: string;
  /** How many of a thousand new traces are recorded. */
  readonly traceSamplePerMille: number;
}

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/** Reads the variables that all services share. The caller adds its own, then calls `env.done`. */
export function readServiceConfig(env: EnvReader): ServiceConfig {
  return {
    listen: env.address('DAYCARE_LISTEN', '0.0.0.0:50051'),
    httpListen: env.address('DAYCARE_HTTP_LISTEN', '0.0.0.0:9464'),
    logLevel: env.oneOf('DAYCARE_LOG_LEVEL', logLevels, 'info'),
    reflection: env.flag('DAYCARE_REFLECTION', true),
    shutdownTimeoutMs: env.integer('DAYCARE_SHUTDOWN_TIMEOUT_MS', 10_000, { min: 0, max: 600_000 }),
    otlpUrl: env.url('OTEL_EXPORTER_OTLP_ENDPOINT', ['http', 'https'], ''),
    traceSamplePerMille: env.integer('DAYCARE_TRACE_PER_MILLE', 50, { min: 0, max: 1000 }),
  };
}

/** Where a service keeps its data. */
export interface MongoConfig {
  readonly mongoUrl: string;
  readonly mongoDatabase: string;
}

/** Reads the MongoDB variables; a service's database has the service's name unless told otherwise. */
export function readMongoConfig(env: EnvReader, service: string): MongoConfig {
  return {
    mongoUrl: env.url('DAYCARE_MONGO_URL', ['mongodb', 'mongodb+srv']),
    mongoDatabase: env.text('DAYCARE_MONGO_DATABASE', service),
  };
}
