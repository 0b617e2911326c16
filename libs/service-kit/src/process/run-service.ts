import { logVerbosity, setLogVerbosity } from '@grpc/grpc-js';
import type { Logger as PinoLogger } from 'pino';
import { AppError, describeUnknownVariable, findUnknownVariables } from '@daycare/api';
import type { CollectionIndexes } from '@daycare/mongo';
import {
  createRateLimiter,
  FloodGuard,
  makeCallerAddress,
  makeIsWithin,
  serverCredentials,
  startRpcServer,
  StreamLimiter,
  type Authenticate,
  type CallPipeline,
  type RpcServer,
  type ServiceImplementation,
} from '@daycare/rpc';
import { formatIndexes } from './check-format';
import { createLogger } from '../observability/create-logger';
import { ConfigError, EnvReader } from '../config/env-reader';
import { createHealth, type Health } from '../observability/health-service';
import { startHttpServer } from '../observability/http-server';
import { createMetrics, type Metrics } from '../observability/metrics';
import { createReflection } from '../observability/reflection-service';
import { logRenewals } from '../config/file-renewals';
import type { ServiceConfig } from '../config/service-config';
import { startTracing, type Tracing } from '../observability/start-tracing';
import { Conditions } from './conditions';
import { Readiness } from './readiness';
import { StatusReport } from './service-status';
import { StopSequence } from './stop-sequence';

/** What every service is built with. */
export interface ServiceKit {
  readonly log: PinoLogger;
  readonly metrics: Metrics;
  readonly stop: StopSequence;
  readonly tracing: Pick<Tracing, 'startClientSpan'>;
  readonly conditions: Conditions;
  readonly readiness: Readiness;
  readonly status: StatusReport;
}

/** The result of building a service. */
export interface BuiltService {
  readonly services: readonly ServiceImplementation[];
  readonly authenticate: Authenticate;
}

/** The result of building an app that brings its own server instead of using the kit's gRPC server. */
export interface BuiltServer {
  /** Starts listening; the server must also implement `grpc.health.v1.Health/Check`, which reports `isServing`. */
  readonly listen: (isServing: () => boolean) => Promise<RpcServer>;
}

export interface ServiceDefinition<C extends ServiceConfig> {
  readonly name: string;
  readonly readConfig: (env: EnvReader) => C;
  readonly build: (config: C, kit: ServiceKit) => Promise<BuiltService | BuiltServer>;
  /** Every collection in the service's database, except `format`, which all services have. */
  readonly indexes?: readonly CollectionIndexes[];
}

/** EX_CONFIG of sysexits.h. */
const badConfiguration = 78;

/**
 * Runs a service process: reads the configuration, builds, serves, waits for a signal and stops in order. A failure to
 * start is explained on standard error. With the argument `--collections`, it only prints the collections in the
 * service's database, and with `--configuration` the variables that the service reads.
 */
export async function runService<C extends ServiceConfig>(
  definition: ServiceDefinition<C>,
): Promise<void> {
  if (process.argv[2] === '--collections') return printCollections(definition.indexes ?? []);
  if (process.argv[2] === '--configuration') return printVariables(definition);
  setLogVerbosity(logVerbosity.NONE);
  try {
    const config = definition.readConfig(openEnvironment());
    const stop = await serve(definition, config);
    await stopSignal();
    await stop();
    process.exit(0);
  } catch (error) {
    for (const line of explain(error)) process.stderr.write(`${definition.name}: ${line}\n`);
    process.exit(error instanceof ConfigError ? badConfiguration : 1);
  }
}

/** Reports unknown variables as problems, because otherwise the default of a misspelt variable would apply silently. */
function openEnvironment(): EnvReader {
  // oxlint-disable-next-line no-restricted-properties -- passed to the app's config.ts, which checks it
  const { env } = process;
  const reader = new EnvReader(env);
  for (const unknown of findUnknownVariables(env)) reader.problem(describeUnknownVariable(unknown));
  return reader;
}

/** For docs/configuration.md. Reads an empty environment, whose problems do not matter here. */
function printVariables({
  readConfig,
}: Pick<ServiceDefinition<ServiceConfig>, 'readConfig'>): void {
  const env = new EnvReader({});
  try {
    readConfig(env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
  }
  process.stdout.write(`${JSON.stringify(env.variables)}\n`);
}

/** For `daycare admin shard` and local sharded clusters, which need the shard keys of the installed version. */
function printCollections(indexes: readonly CollectionIndexes[]): void {
  const all = indexes.length === 0 ? [] : [...indexes, formatIndexes];
  process.stdout.write(`${JSON.stringify(all)}\n`);
}

async function serve<C extends ServiceConfig>(
  { name, build }: ServiceDefinition<C>,
  config: C,
): Promise<() => Promise<void>> {
  const log = createLogger(name, config.logLevel);
  process.on('uncaughtException', (err) => {
    log.fatal({ err }, 'uncaught exception; exiting');
    process.exit(1);
  });
  const stop = new StopSequence();
  try {
    const tracing = await startTracing(tracingOptions(name, config));
    stop.add('close', 'tracing', () => tracing.stop());
    const metrics = createMetrics(name);
    const conditions = new Conditions();
    const readiness = new Readiness();
    const status = new StatusReport(name, conditions);
    const kit = { log, metrics, stop, tracing, conditions, readiness, status };
    const built = await build(config, kit);
    const endServing = await listen(config, built, tracing, kit);
    return async () => {
      log.info({ event: 'stopping' }, 'stopping');
      endServing();
      await stop.run(log, config.shutdownTimeoutMs);
      log.info({ event: 'stopped' }, 'stopped');
    };
  } catch (error) {
    await stop.run(log, 1_000);
    throw error;
  }
}

function tracingOptions(service: string, config: ServiceConfig) {
  return { service, otlpUrl: config.otlpUrl, samplePerMille: config.traceSamplePerMille };
}

/** Starts the HTTP server and the server for calls. Returns a function that stops reporting SERVING. */
async function listen(
  config: ServiceConfig,
  built: BuiltService | BuiltServer,
  tracing: Tracing,
  kit: ServiceKit,
): Promise<() => void> {
  const { log, metrics, stop, conditions, readiness } = kit;
  const names = 'services' in built ? built.services.map(({ name }) => name) : [];
  const health = createHealth(names);
  const { registry } = metrics;
  const { isServing } = health;
  const http = await startHttpServer({
    listen: config.httpListen,
    registry,
    isServing,
    listPending: () => readiness.pending,
    listConditions: () => conditions.list(),
  });
  stop.add('close', 'http', () => http.close());
  const rpc =
    'services' in built
      ? await listenForCalls(config, built, { health, names }, tracing, kit)
      : await built.listen(isServing);
  stop.add('drain', 'rpc', () => rpc.drain(config.shutdownTimeoutMs));
  logRenewals(log, 'TLS between services', config.tls?.renewals);
  return startServing(health, { grpc: rpc.address, http: http.address }, kit);
}

/** Reports that the service is serving as soon as it is ready, unless it is stopping by then. */
function startServing(health: Health, addresses: object, { log, readiness }: ServiceKit) {
  let isStopping = false;
  const { pending } = readiness;
  if (pending.length > 0) log.warn({ ...addresses, pending }, 'not ready yet; waiting');
  void readiness.whenReady().then(() => {
    if (isStopping) return;
    health.setServing(true);
    log.info({ event: 'ready', ...addresses }, 'ready');
  });
  return (): void => {
    isStopping = true;
    health.setServing(false);
  };
}

function listenForCalls(
  config: ServiceConfig,
  built: BuiltService,
  { health, names }: { readonly health: Health; readonly names: readonly string[] },
  tracing: Tracing,
  kit: ServiceKit,
): Promise<RpcServer> {
  const reflectedServices = [...names, health.implementation.name];
  return startRpcServer({
    listen: config.listen,
    credentials: serverCredentials(config.tls),
    pipeline: pipelineOf(config, built, tracing, kit),
    connections: config.connectionLimits,
    services: [
      ...built.services,
      health.implementation,
      ...(config.reflection ? createReflection(reflectedServices) : []),
    ],
  });
}

function pipelineOf(
  { rateLimit, streamLimits, connectionLimits, trustedProxies }: ServiceConfig,
  { authenticate }: BuiltService,
  { startSpan }: Tracing,
  { log, metrics }: ServiceKit,
): CallPipeline {
  const addressOf = makeCallerAddress(trustedProxies);
  const streams = new StreamLimiter(streamLimits, addressOf);
  const limitRate = createRateLimiter(rateLimit, addressOf);
  const maxCalls = connectionLimits.maxConcurrentCalls;
  metrics.observeStreams(() => streams.size);
  return {
    authenticate,
    addressOf,
    limit: (...args) => metrics.countRefusals('rate', () => limitRate(...args)),
    enterStream: (...args) => metrics.countRefusals('streams', () => streams.enter(...args)),
    floodGuard: new FloodGuard({
      maxCalls,
      maxStreamsPerOwner: streamLimits.perOwner,
      log,
      isProxy: makeIsWithin(trustedProxies),
    }),
    observe: (outcome) => metrics.observeCall(outcome),
    log,
    defaultTimeoutMs: 30_000,
    ...(startSpan && { startSpan }),
  };
}

/** Resolves on SIGTERM, on SIGINT and when the supervising parent closes its IPC channel by exiting. */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const event of ['SIGTERM', 'SIGINT', 'disconnect']) process.once(event, () => resolve());
  });
}

function explain(error: unknown): string[] {
  if (error instanceof ConfigError || error instanceof AppError) return error.message.split('\n');
  return [error instanceof Error ? (error.stack ?? error.message) : String(error)];
}
