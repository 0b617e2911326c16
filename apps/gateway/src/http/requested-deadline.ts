import { parseTimeout as parseConnectTimeout } from '@connectrpc/connect/protocol-connect';
import { parseTimeout as parseGrpcTimeout } from '@connectrpc/connect/protocol-grpc';
import { headerOf, type GatewayRequest } from './gateway-request';

/** How long an RPC's caller will wait. Both fields are undefined if the call has no timeout header. */
export interface RequestedTimeout {
  readonly timeoutMs?: number | undefined;
  /** What is wrong with the header. */
  readonly error?: Error | undefined;
}

/** Reads the timeout from the header that the protocol of the RPC uses for it. */
export function requestedTimeout(request: GatewayRequest): RequestedTimeout {
  const isGrpc = headerOf(request, 'content-type').startsWith('application/grpc');
  const sent = headerOf(request, isGrpc ? 'grpc-timeout' : 'connect-timeout-ms');
  if (sent === '') return {};
  return (isGrpc ? parseGrpcTimeout : parseConnectTimeout)(sent, Number.MAX_SAFE_INTEGER);
}

/** Returns when an RPC's caller gives up, in epoch milliseconds; Infinity without a valid timeout header. */
export function requestedDeadline(request: GatewayRequest, receivedAtMs: number): number {
  return receivedAtMs + (requestedTimeout(request).timeoutMs ?? Infinity);
}
