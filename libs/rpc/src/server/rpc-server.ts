import {
  Server,
  ServerCredentials,
  type ServiceDefinition,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { AppError } from '@daycare/api';
import type { CallPipeline } from './call-pipeline';
import type { DirectMethod } from './direct/direct-call';
import { serveDirectly } from './direct/serve-directly';
import type { ServiceImplementation } from './implement-service';

export interface RpcServerOptions {
  /** `host:port`; port 0 for any free port. */
  readonly listen: string;
  readonly services: readonly ServiceImplementation[];
  readonly pipeline: CallPipeline;
  readonly credentials?: ServerCredentials;
  readonly connections?: ConnectionLimits;
}

/** The limits of one connection. */
export interface ConnectionLimits {
  /** How many calls may be in progress on the connection; further ones wait in the client. */
  readonly maxConcurrentCalls: number;
  /** A connection is replaced after about this time, which also spreads clients over new replicas. */
  readonly maxAgeMs: number;
  /** How much longer calls may continue on a connection that is being replaced. */
  readonly ageGraceMs: number;
}

/** The largest request that any method allows; most allow less. */
const maxRequestBytes = 2 << 20;
const maxIdleMs = 10 * 60_000;

export interface RpcServer {
  /** `host:port` with the actual port. */
  readonly address: string;
  /** Accepts no new calls and waits up to `graceMs` for those in progress, then cancels them. */
  drain(graceMs: number): Promise<void>;
}

/** Serves until drained. Throws FAILED_PRECONDITION, with a message for the operator, if it cannot listen. */
export async function startRpcServer(options: RpcServerOptions): Promise<RpcServer> {
  const { connections } = options;
  const server = new Server({
    'grpc.max_receive_message_length': maxRequestBytes,
    'grpc.max_connection_idle_ms': maxIdleMs,
    ...(connections && {
      'grpc.max_concurrent_streams': connections.maxConcurrentCalls,
      'grpc.max_connection_age_ms': connections.maxAgeMs,
      'grpc.max_connection_age_grace_ms': connections.ageGraceMs,
    }),
    'grpc.keepalive_time_ms': 30_000,
    'grpc.keepalive_timeout_ms': 10_000,
    // Bookkeeping for a debugging service that we do not offer.
    'grpc.enable_channelz': 0,
  });
  const direct = new Map<string, DirectMethod>();
  for (const service of options.services) {
    const { definition, implementation } = service.bind(options.pipeline);
    server.addService(definition, implementation);
    for (const method of directMethods(definition, implementation)) direct.set(method.path, method);
  }
  const credentials = options.credentials ?? ServerCredentials.createInsecure();
  const port = await bind(server, options.listen, credentials);
  serveDirectly(server, direct);
  const address = `${options.listen.slice(0, options.listen.lastIndexOf(':'))}:${port}`;
  const { floodGuard } = options.pipeline;
  return {
    address,
    drain(graceMs) {
      floodGuard?.sendHeldRefusals();
      return drain(server, graceMs);
    },
  };
}

/** Returns the methods with one request and one response. */
function directMethods(
  definition: ServiceDefinition,
  implementation: UntypedServiceImplementation,
): DirectMethod[] {
  return Object.entries(definition).flatMap(([key, method]) => {
    const { path, requestStream, responseStream, requestDeserialize, responseSerialize } = method;
    if (requestStream || responseStream) return [];
    const handle = implementation[key] as unknown as DirectMethod['handle'];
    const wire = { deserialize: requestDeserialize, serialize: responseSerialize };
    return { path, maxBytes: maxRequestBytes, ...wire, handle };
  });
}

function bind(server: Server, listen: string, credentials: ServerCredentials): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(listen, credentials, (error, port) => {
      if (error) reject(cannotListen(listen, error));
      else resolve(port);
    });
  });
}

function cannotListen(listen: string, cause: Error): AppError {
  const isTaken = cause.message.includes('EADDRINUSE');
  const why = isTaken ? 'the port is in use by another program' : cause.message;
  return new AppError('FAILED_PRECONDITION', `cannot listen on ${listen}: ${why}`, {}, { cause });
}

function drain(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    // After the grace period, connections are no longer awaited, because a peer that neither reads nor closes would
    // block the shutdown.
    const timer = setTimeout(() => {
      server.forceShutdown();
      resolve();
    }, graceMs);
    server.tryShutdown(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
