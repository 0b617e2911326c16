import { parseTimeout as parseConnectTimeout } from '@connectrpc/connect/protocol-connect';
import { parseTimeout as parseGrpcTimeout } from '@connectrpc/connect/protocol-grpc';
import { headerOf, type GatewayRequest } from './gateway-request';

/** When the caller of an RPC gives up, in epoch milliseconds; Infinity if its headers do not say so. */
export function requestedDeadline(request: GatewayRequest, receivedAtMs: number): number {
  const isGrpc = headerOf(request, 'content-type').startsWith('application/grpc');
  const sent = headerOf(request, isGrpc ? 'grpc-timeout' : 'connect-timeout-ms');
  const parse = isGrpc ? parseGrpcTimeout : parseConnectTimeout;
  const { timeoutMs = Infinity } = parse(sent || null, Number.MAX_SAFE_INTEGER);
  return receivedAtMs + timeoutMs;
}
