import { STATUS_CODES, type ClientRequest, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import {
  requestHeaders,
  responseHeaders,
  type Forwarding,
} from '../../domain/endpoints/proxy-headers';
import type { Admission } from '../admission/admit';
import { targetDown } from './connect-target';
import { beginExchange, forwardingOf, openRequest, type ExchangeDeps } from './exchange';
import { Refusal } from '../refusal';

/** A request for a WebSocket; `head` is what the visitor has already sent after the request. */
export interface UpgradeVisit {
  readonly request: IncomingMessage;
  readonly socket: Socket;
  readonly head: Buffer;
}

const upgradeHeaders = ['connection', 'Upgrade', 'upgrade', 'websocket'];

/**
 * The only upgrade that is proxied is to WebSocket, because the edge could not confine another protocol to one
 * endpoint.
 */
export function isWebSocket({ method, headers }: IncomingMessage): boolean {
  const hasBody =
    headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  return method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket' && !hasBody;
}

/**
 * Connects a visitor's WebSocket to the target and resolves when either side closes it. A failure throws a
 * Refusal as long as no response has been sent to the visitor. Nothing that the visitor sends after the request reaches
 * the target before the target accepts.
 */
export async function proxyUpgrade(
  deps: ExchangeDeps,
  admission: Admission,
  visit: UpgradeVisit,
): Promise<void> {
  const { request, socket } = visit;
  const end = beginExchange(deps, admission, () => socket.destroy());
  try {
    const { socket: connection, host } = await deps.connectTarget(admission.endpoint);
    if (socket.destroyed) return void connection.destroy();
    const forwarding = forwardingOf(deps, admission, host);
    const target = openRequest(connection, {
      path: admission.rest,
      headers: [...requestHeaders(request.rawHeaders, forwarding), ...upgradeHeaders],
    });
    await awaitUpgrade(deps, visit, target, forwarding);
  } finally {
    end();
  }
}

function awaitUpgrade(
  { limits }: ExchangeDeps,
  visit: UpgradeVisit,
  target: ClientRequest,
  forwarding: Forwarding,
): Promise<void> {
  const { socket } = visit;
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new Refusal(504, 'target_timeout'));
      target.destroy();
    }, limits.responseTimeoutMs);
    let fail = (cause: unknown): void => reject(targetDown(cause));
    const onResponse = (): void => {
      clearTimeout(timer);
      // The response has begun, so an error response can no longer be sent.
      fail = () => socket.destroy();
    };
    target.once('upgrade', onResponse).once('response', onResponse);
    target.once('close', () => clearTimeout(timer));
    target.on('error', (cause) => fail(cause));
    socket.once('close', () => {
      target.destroy();
      resolve();
    });
    target.once('upgrade', (targetResponse, peer: Socket, peerHead: Buffer) => {
      const headers = responseHeaders(targetResponse.rawHeaders, forwarding);
      socket.write(headOf(101, [...headers, ...upgradeHeaders]), 'latin1');
      pipeBoth(visit, peer, peerHead, limits.idleTimeoutMs);
    });
    target.once('response', (targetResponse) => forwardDecline(targetResponse, socket, forwarding));
    target.end();
  });
}

function pipeBoth(
  { socket, head }: UpgradeVisit,
  peer: Socket,
  peerHead: Buffer,
  idleMs: number,
): void {
  const sides = [socket, peer];
  const closeBoth = (): void => sides.forEach((side) => side.destroy());
  for (const side of sides) {
    side.setKeepAlive(true, idleMs);
    side.setTimeout(idleMs, closeBoth);
    side.on('error', closeBoth);
    side.once('close', closeBoth);
  }
  if (head.length > 0) peer.write(head);
  if (peerHead.length > 0) socket.write(peerHead);
  socket.pipe(peer).pipe(socket);
}

/** Forwards the response from a target that declines the WebSocket, then closes the connection. */
function forwardDecline(
  targetResponse: IncomingMessage,
  socket: Duplex,
  forwarding: Forwarding,
): void {
  const headers = responseHeaders(targetResponse.rawHeaders, forwarding);
  socket.write(
    headOf(targetResponse.statusCode ?? 502, [...headers, 'connection', 'close']),
    'latin1',
  );
  targetResponse.on('error', () => socket.destroy());
  targetResponse.pipe(socket);
}

function headOf(status: number, headers: readonly string[]): string {
  const lines = headers.flatMap((name, index) =>
    index % 2 === 0 ? [`${name}: ${headers[index + 1] ?? ''}\r\n`] : [],
  );
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n`;
}
