import {
  Client,
  type CallOptions as GrpcCallOptions,
  ChannelCredentials,
  Metadata,
  type ServiceError,
} from '@grpc/grpc-js';
import { toAppError } from '@daycare/errors';
import { serviceConfigFor } from './service-config';
import {
  asGrpcMethod,
  splitPath,
  type CallOptions,
  type MethodShape,
  type RpcClient,
  type ServiceContract,
} from './service-types';
import { fromGrpcError } from './status-details';
import { injectTrace } from './trace-carrier';

export interface RpcClientOptions {
  /** A gRPC target, e.g. `127.0.0.1:50051` or `dns:///identity:50051`. */
  readonly address: string;
  readonly credentials?: ChannelCredentials;
  /** The deadline of calls that do not set their own. */
  readonly timeoutMs?: number;
  readonly maxMessageBytes?: number;
  /** Sent along with every call, e.g. `authorization`. */
  readonly metadata?: Readonly<Record<string, string>>;
}

const defaultTimeoutMs = 5_000;

/**
 * A typed client over one channel. Every unary call has a deadline, carries the trace, and throws
 * AppErrors; calls that the contract marks as repeatable are retried while the peer is unavailable.
 */
export function createRpcClient<S extends ServiceContract>(
  contract: S,
  options: RpcClientOptions,
): RpcClient<S> {
  const [first] = Object.values(contract);
  if (!first) throw new Error('a contract has at least one method');
  const { service } = splitPath(first.path);
  const maxMessageBytes = options.maxMessageBytes ?? 4 << 20;
  const client = new Client(
    options.address,
    options.credentials ?? ChannelCredentials.createInsecure(),
    {
      'grpc.service_config': serviceConfigFor(service),
      'grpc.max_receive_message_length': maxMessageBytes,
      'grpc.max_send_message_length': maxMessageBytes,
      'grpc.keepalive_time_ms': 30_000,
      // A peer that restarts is back in a second; the default backoff would keep away for minutes.
      'grpc.initial_reconnect_backoff_ms': 100,
      'grpc.max_reconnect_backoff_ms': 1_000,
    },
  );
  const calls = Object.entries(contract).map(([key, method]) => [
    key,
    makeCall(client, method, {
      timeoutMs: options.timeoutMs ?? defaultTimeoutMs,
      metadata: options.metadata ?? {},
    }),
  ]);
  return { ...Object.fromEntries(calls), close: () => client.close() } as RpcClient<S>;
}

type AnyCall = (request: never, options?: CallOptions) => unknown;

/** What holds for every call that does not say otherwise. */
type CallDefaults = Required<Pick<RpcClientOptions, 'timeoutMs' | 'metadata'>>;

function makeCall(client: Client, method: MethodShape, defaults: CallDefaults): AnyCall {
  if (method.requestStream && method.responseStream) {
    throw new Error(`${method.path}: bidirectional calls have no client here`);
  }
  if (method.responseStream) return serverStream(client, method, defaults);
  if (method.requestStream) return clientStream(client, method, defaults);
  return unary(client, method, defaults);
}

function unary(client: Client, method: MethodShape, defaults: CallDefaults): AnyCall {
  const { path, requestSerialize, responseDeserialize } = asGrpcMethod(method);
  return (request, options = {}) =>
    new Promise((resolve, reject) => {
      const call = client.makeUnaryRequest(
        path,
        requestSerialize,
        responseDeserialize,
        request,
        metadataOf(options, defaults),
        { deadline: deadlineOf(options, defaults.timeoutMs) },
        (error, response) => {
          release();
          return error ? reject(fromGrpcError(error)) : resolve(response);
        },
      );
      const release = cancelWith(options, call);
    });
}

function clientStream(client: Client, method: MethodShape, defaults: CallDefaults): AnyCall {
  const { path, requestSerialize, responseDeserialize } = asGrpcMethod(method);
  return (requests: AsyncIterable<unknown>, options = {}) =>
    new Promise((resolve, reject) => {
      const call = client.makeClientStreamRequest(
        path,
        requestSerialize,
        responseDeserialize,
        metadataOf(options, defaults),
        { deadline: deadlineOf(options, defaults.timeoutMs) },
        (error, response) => {
          release();
          return error ? reject(fromGrpcError(error)) : resolve(response);
        },
      );
      const release = cancelWith(options, call);
      sendAll(call, requests).catch((error: unknown) => {
        call.cancel();
        reject(toAppError(error));
      });
    });
}

async function sendAll(
  call: { write(chunk: unknown): boolean; end(): void; once(e: 'drain', f: () => void): unknown },
  requests: AsyncIterable<unknown>,
): Promise<void> {
  for await (const request of requests) {
    if (!call.write(request)) await new Promise<void>((resolve) => call.once('drain', resolve));
  }
  call.end();
}

function serverStream(client: Client, method: MethodShape, defaults: CallDefaults): AnyCall {
  const { path, requestSerialize, responseDeserialize } = asGrpcMethod(method);
  return async function* (request: unknown, options: CallOptions = {}) {
    const deadline = deadlineOf(options, Infinity);
    const call = client.makeServerStreamRequest(
      path,
      requestSerialize,
      responseDeserialize,
      request,
      metadataOf(options, defaults),
      Number.isFinite(deadline) ? { deadline } : ({} satisfies GrpcCallOptions),
    );
    const release = cancelWith(options, call);
    try {
      yield* call as AsyncIterable<unknown>;
    } catch (error) {
      throw isServiceError(error) ? fromGrpcError(error) : toAppError(error);
    } finally {
      release();
      call.cancel();
    }
  };
}

function isServiceError(error: unknown): error is ServiceError {
  return error instanceof Error && 'code' in error && 'metadata' in error;
}

function metadataOf({ metadata: extra }: CallOptions, defaults: CallDefaults): Metadata {
  const metadata = new Metadata();
  const all = { ...defaults.metadata, ...extra };
  for (const [key, value] of Object.entries(all)) metadata.set(key, value);
  injectTrace(metadata);
  return metadata;
}

function deadlineOf({ timeoutMs, parent }: CallOptions, defaultMs: number): number {
  return Math.min(Date.now() + (timeoutMs ?? defaultMs), parent?.deadline ?? Infinity);
}

/** Cancels the call when whoever waits for it no longer does; call the result once it is over. */
function cancelWith({ signal, parent }: CallOptions, call: { cancel(): void }): () => void {
  const sources = [signal, parent?.signal].filter((source) => source !== undefined);
  const cancel = (): void => call.cancel();
  for (const source of sources) {
    if (source.aborted) cancel();
    else source.addEventListener('abort', cancel, { once: true });
  }
  return () => sources.forEach((source) => source.removeEventListener('abort', cancel));
}
