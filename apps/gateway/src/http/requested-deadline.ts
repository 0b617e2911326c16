import { parseTimeout as parseConnectTimeout } from '@connectrpc/connect/protocol-connect';
import { parseTimeout as parseGrpcTimeout } from '@connectrpc/connect/protocol-grpc';
import { headerOf, type GatewayRequest } from './gateway-request';

/** How long the caller of an RPC waits. Both fields are undefined if its headers do not say so. */
export interface RequestedTimeout {
  readonly timeoutMs?: number | undefined;
  /** What is wrong with the header. */
  readonly error?: Error | undefined;
}

/** Reads the timeout from the header of the protocol in which an RPC is called. */
export function requestedTimeout(request: GatewayRequest): RequestedTimeout {
  const isGrpc = headerOf(request, 'content-type').startsWith('application/grpc');
  const sent = headerOf(request, isGrpc ? 'grpc-timeout' : 'connect-timeout-ms');
  if (sent === '') return {};
  return (isGrpc ? parseGrpcTimeout : parseConnectTimeout)(sent, Number.MAX_SAFE_INTEGER);
}

/** When the caller of an RPC gives up, in epoch milliseconds; Infinity if its headers do not say so. */
export function requestedDeadline(request: GatewayRequest, receivedAtMs: number): number {
  return receivedAtMs + (requestedTimeout(request).timeoutMs ?? Infinity);
}
