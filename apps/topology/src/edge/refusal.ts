import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** Why a visitor is not served; also the label of the metric. */
export type RefusalReason =
  | 'bad_request'
  | 'busy'
  | 'not_found'
  | 'rate_limited'
  | 'target_down'
  | 'target_timeout'
  | 'too_large'
  | 'unauthorised'
  | 'unavailable'
  | 'unsupported';

/** A response from the edge itself. Its body is only the name of its status. */
export class Refusal extends Error {
  override readonly name = 'Refusal';

  constructor(
    readonly status: number,
    readonly reason: RefusalReason,
    readonly headers: Readonly<Record<string, string>> = {},
    options?: { cause?: unknown },
  ) {
    super(STATUS_CODES[status] ?? 'Error', options);
  }
}

export const notFoundRefusal = (): Refusal => new Refusal(404, 'not_found');

export const tooManyRequests = (waitMs: number): Refusal =>
  new Refusal(429, 'rate_limited', { 'retry-after': String(Math.ceil(waitMs / 1000)) });

const lingerMs = 2_000;

/** Responds to a request, then reads the rest of its body for a while so that the response is not lost. */
export function refuse(request: IncomingMessage, response: ServerResponse, refusal: Refusal): void {
  response.writeHead(refusal.status, headersOf(refusal)).end(bodyOf(refusal));
  if (request.complete) return;
  const { socket } = request;
  const stopWaiting = destroyLater(socket);
  request.once('end', stopWaiting);
  request.resume();
}

/** Responds on a raw socket that the HTTP server no longer manages, then closes the socket. */
export function refuseRaw(socket: Duplex, refusal: Refusal): void {
  if (socket.destroyed) return;
  const headers = Object.entries({ ...headersOf(refusal), connection: 'close' });
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const { status } = refusal;
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines}\r\n${bodyOf(refusal)}`);
  destroyLater(socket);
  socket.resume();
}

/**
 * Destroys the socket after a while, even if the visitor keeps sending. Returns a function that cancels this.
 */
function destroyLater(socket: Duplex): () => void {
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  const stop = (): void => clearTimeout(timer);
  socket.once('close', stop);
  return stop;
}

function headersOf(refusal: Refusal): Record<string, string> {
  return {
    'content-type': 'text/plain; charset=utf-8',
    'content-length': String(bodyOf(refusal).length),
    'cache-control': 'no-store',
    ...refusal.headers,
  };
}

function bodyOf({ message }: Refusal): string {
  return `${message}\n`;
}
