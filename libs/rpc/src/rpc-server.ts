import { Server, ServerCredentials } from '@grpc/grpc-js';
import { AppError } from '@daycare/errors';
import type { CallPipeline } from './call-pipeline';
import type { ServiceImplementation } from './implement-service';

export interface RpcServerOptions {
  /** `host:port`; port 0 takes any free one. */
  readonly listen: string;
  readonly services: readonly ServiceImplementation[];
  readonly pipeline: CallPipeline;
  readonly credentials?: ServerCredentials;
  /** Largest request or response in bytes. */
  readonly maxMessageBytes?: number;
}

export interface RpcServer {
  /** Where it listens, with the real port. */
  readonly address: string;
  /** Takes no new calls and waits for those under way, at most `graceMs`, then cuts them off. */
  drain(graceMs: number): Promise<void>;
}

/** Serves until drained. Throws FAILED_PRECONDITION with a plain sentence when it cannot listen. */
export async function startRpcServer(options: RpcServerOptions): Promise<RpcServer> {
  const maxMessageBytes = options.maxMessageBytes ?? 4 << 20;
  const server = new Server({
    'grpc.max_receive_message_length': maxMessageBytes,
    'grpc.keepalive_time_ms': 30_000,
    'grpc.keepalive_timeout_ms': 10_000,
  });
  for (const service of options.services) {
    const { definition, implementation } = service.bind(options.pipeline);
    server.addService(definition, implementation);
  }
  const credentials = options.credentials ?? ServerCredentials.createInsecure();
  const port = await bind(server, options.listen, credentials);
  const address = `${options.listen.slice(0, options.listen.lastIndexOf(':'))}:${port}`;
  return { address, drain: (graceMs) => drain(server, graceMs) };
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
  const taken = cause.message.includes('EADDRINUSE');
  const why = taken ? 'the port is taken by another program' : cause.message;
  return new AppError('FAILED_PRECONDITION', `cannot listen on ${listen}: ${why}`, {}, { cause });
}

function drain(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    // After a cut-off nothing is waited for: a peer that neither reads nor closes would hold us up.
    const cutOff = setTimeout(() => {
      server.forceShutdown();
      resolve();
    }, graceMs);
    server.tryShutdown(() => {
      clearTimeout(cutOff);
      resolve();
    });
  });
}
