import { request, type ClientRequest, type RequestOptions } from 'node:http';
import type { Socket } from 'node:net';
import type { Admission } from './admit';
import type { ConnectTarget } from './connect-target';
import type { EdgeLimits } from './edge-limits';
import type { OpenExchanges } from './open-exchanges';
import { Refusal } from './refusal';

/** What requests and WebSockets are carried with. */
export interface ExchangeDeps {
  readonly connectTarget: ConnectTarget;
  readonly open: OpenExchanges;
  readonly limits: EdgeLimits;
  /** Where the edge serves an endpoint, without a slash at the end. */
  readonly publicUrlOf: (endpointId: string) => URL;
}

/** Counts an exchange as open until the returned is called; throws when the endpoint has too many. */
export function begin(
  { open }: Pick<ExchangeDeps, 'open'>,
  { endpoint }: Admission,
  cut: () => void,
): () => void {
  const end = open.add(endpoint.id, endpoint.version, cut);
  if (!end) throw new Refusal(503, 'busy', { 'retry-after': '1' });
  return end;
}

/** A request over a connection that is open already; nothing of it is left when it cannot be made. */
export function openRequest(socket: Socket, options: RequestOptions): ClientRequest {
  try {
    return request({ ...options, insecureHTTPParser: false, createConnection: () => socket });
  } catch (cause) {
    socket.destroy();
    throw new Refusal(400, 'bad_request', {}, { cause });
  }
}

/** What the edge tells the target of a visit. */
export function forwardingOf(
  { publicUrlOf }: Pick<ExchangeDeps, 'publicUrlOf'>,
  { endpoint, address }: Admission,
  targetHost: string,
) {
  return {
    targetHost,
    remoteAddress: address,
    publicUrl: publicUrlOf(endpoint.id),
    isAuthorizationOurs: endpoint.auth === 'password',
  };
}
