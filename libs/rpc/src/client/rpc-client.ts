import { Client, ChannelCredentials, type Metadata } from '@grpc/grpc-js';
import {
  splitPath,
  type MethodShape,
  type RpcClient,
  type ServiceContract,
} from '../shared/service-types';
import type { AnyCall } from './call-setup';
import { retriedMethods, serviceConfigFor } from './grpc-service-config';
import { bidiStream, clientStream, serverStream } from './streaming-calls';
import { unary, type UnaryOptions } from './unary-call';

export interface RpcClientOptions {
  /** A gRPC target, e.g. `127.0.0.1:50051` or `dns:///identity:50051`. */
  readonly address: string;
  readonly credentials?: ChannelCredentials;
  /** The timeout of calls that set none; calls that stream responses have no deadline unless they set one. */
  readonly timeoutMs?: number;
  readonly maxMessageBytes?: number;
  /** Sent with every call, e.g. `authorization`. */
  readonly metadata?: Readonly<Record<string, string>>;
  /**
   * Whether the client opens its own connections instead of sharing those of other clients with the same address.
   */
  readonly ownConnections?: boolean;
  /** Whether calls that are safe to retry are retried while the peer is unavailable; true by default. */
  readonly isRetried?: boolean;
  /** Called when the peer rejects a call's credential. */
  readonly onUnauthenticated?: () => void;
}

const defaultTimeoutMs = 5_000;
/** How much of a response a peer may send before the client has read any of it. */
const flowWindowBytes = 256 * 1_024;

/**
 * Creates a typed client with one channel. Calls carry the trace context and throw AppErrors; those with a single
 * response always have a deadline. Unary calls that the contract marks as retryable are retried while the peer is
 * unavailable.
 */
export function createRpcClient<S extends ServiceContract>(
  contract: S,
  options: RpcClientOptions,
): RpcClient<S> {
  const [first] = Object.values(contract);
  if (!first) throw new Error('the contract has no methods');
  const { service } = splitPath(first.path);
  const maxMessageBytes = options.maxMessageBytes ?? 4 << 20;
  const client = new Client(
    options.address,
    options.credentials ?? ChannelCredentials.createInsecure(),
    {
      'grpc.service_config': serviceConfigFor(service, options.isRetried),
      'grpc.max_receive_message_length': maxMessageBytes,
      'grpc.max_send_message_length': maxMessageBytes,
      // A large response, e.g. a topology, then needs no further round trips; the default is 64 KiB.
      'grpc-node.flow_control_window': flowWindowBytes,
      'grpc.keepalive_time_ms': 30_000,
      ...(options.ownConnections && { 'grpc.use_local_subchannel_pool': 1 }),
      // A restarting peer is back within a second; the default back-off grows to minutes.
      'grpc.initial_reconnect_backoff_ms': 100,
      'grpc.max_reconnect_backoff_ms': 1_000,
      // Bookkeeping for a debugging service that we do not offer.
      'grpc.enable_channelz': 0,
    },
  );
  const defaults = {
    timeoutMs: options.timeoutMs ?? defaultTimeoutMs,
    metadata: options.metadata ?? {},
    onUnauthenticated: options.onUnauthenticated,
    metadataCache: new WeakMap<object, Metadata>(),
  };
  const retried = new Set(retriedMethods(service, options.isRetried));
  const calls = Object.entries(contract).map(([key, method]) => {
    const isRetried = retried.has(splitPath(method.path).method);
    return [key, makeCall(client, method, { defaults, maxMessageBytes, isRetried })];
  });
  return { ...Object.fromEntries(calls), close: () => client.close() } as RpcClient<S>;
}

function makeCall(client: Client, method: MethodShape, options: UnaryOptions): AnyCall {
  const { defaults } = options;
  if (method.requestStream && method.responseStream) return bidiStream(client, method, defaults);
  if (method.responseStream) return serverStream(client, method, defaults);
  if (method.requestStream) return clientStream(client, method, defaults);
  return unary(client, method, options);
}
