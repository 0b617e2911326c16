import type { ClientRequest, IncomingMessage } from 'node:http';
import { Refusal } from '../refusal';

const withoutBody: ReadonlySet<string> = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE']);

/**
 * Returns the headers that frame a request's body for the target. They are rebuilt from how the edge parsed
 * the body, so the target cannot parse it differently. Throws when the declared length is too large or the
 * transfer coding is unsupported.
 */
export function bodyHeaders(request: IncomingMessage, maxBytes: number): string[] {
  const { 'content-length': length, 'transfer-encoding': coding } = request.headers;
  if (coding !== undefined) {
    if (coding.trim().toLowerCase() !== 'chunked') throw new Refusal(501, 'unsupported');
    return ['transfer-encoding', 'chunked'];
  }
  if (length === undefined)
    return withoutBody.has(request.method ?? '') ? [] : ['content-length', '0'];
  if (Number(length) > maxBytes) throw tooLarge();
  return ['content-length', length];
}

/** Streams the body as fast as the target reads it; calls `onTooLarge` when it exceeds the limit. */
export function forwardBody(
  request: IncomingMessage,
  target: ClientRequest,
  maxBytes: number,
  onTooLarge: () => void,
): void {
  let received = 0;
  request.on('data', (chunk: Buffer) => {
    received += chunk.length;
    if (received > maxBytes) return onTooLarge();
    if (target.destroyed || target.write(chunk)) return;
    request.pause();
  });
  target.on('drain', () => request.resume());
  target.on('close', () => request.resume());
  request.on('end', () => target.end());
}

export function tooLarge(): Refusal {
  return new Refusal(413, 'too_large');
}
