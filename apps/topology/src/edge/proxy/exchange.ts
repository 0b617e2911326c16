import { request, type ClientRequest, type RequestOptions } from 'node:http';
import type { Socket } from 'node:net';
import type { Admission } from '../admission/admit';
import type { ConnectTarget } from './connect-target';
import type { EdgeLimits } from '../edge-limits';
import type { OpenExchanges } from './open-exchanges';
import { Refusal } from '../refusal';

/** What proxied requests and WebSockets need. */
export interface ExchangeDeps {
  readonly connectTarget: ConnectTarget;
  readonly openExchanges: OpenExchanges;
  readonly limits: EdgeLimits;
  /** Returns an endpoint's URL at the edge, without a trailing slash. */
  readonly publicUrlOf: (endpointId: string) => URL;
}

/**
 * Registers an exchange as open until the returned function is called; throws if its endpoint has too many open ones.
 */
export function beginExchange(
  { openExchanges }: Pick<ExchangeDeps, 'openExchanges'>,
  { endpoint }: Admission,
  close: () => void,
): () => void {
  const end = openExchanges.add(endpoint.id, endpoint.version, close);
  if (!end) throw new Refusal(503, 'busy', { 'retry-after': '1' });
  return end;
}

/** Starts a request over an open connection, which is closed when the request cannot be made. */
export function openRequest(socket: Socket, options: RequestOptions): ClientRequest {
  try {
    return request({ ...options, insecureHTTPParser: false, createConnection: () => socket });
  } catch (cause) {
    socket.destroy();
    throw new Refusal(400, 'bad_request', {}, { cause });
  }
}

/** Returns what the edge knows about a visit, for the headers of the proxied request. */
export function forwardingOf(
  { publicUrlOf }: Pick<ExchangeDeps, 'publicUrlOf'>,
  { endpoint, address, isAuthorizationForEdge }: Admission,
  targetHost: string,
) {
  return {
    targetHost,
    remoteAddress: address,
    publicUrl: publicUrlOf(endpoint.id),
    endpointId: endpoint.id,
    isAuthorizationForEdge,
    isProtected: endpoint.auth === 'password',
  };
}
