import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';

/** A request over HTTP/1.1 or HTTP/2. */
export type GatewayRequest = IncomingMessage | Http2ServerRequest;
export type GatewayResponse = ServerResponse | Http2ServerResponse;

/** The header in which a console page names the user it was loaded for. */
export const expectedUserHeader = 'x-expected-user';

/** Sets headers of a response before other code writes its body. */
export function setHeaders(
  response: GatewayResponse,
  headers: Readonly<Record<string, string>>,
): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
}

/** Sets cookies in addition to those that the response already sets. */
export function addCookies(response: GatewayResponse, ...cookies: readonly string[]): void {
  const existing = [response.getHeader('set-cookie') ?? []].flat().map(String);
  response.setHeader('set-cookie', [...existing, ...cookies]);
}

/** Sends a complete response. */
export function respond(
  response: GatewayResponse,
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  setHeaders(response, { 'content-type': 'text/plain; charset=utf-8', ...headers });
  response.statusCode = status;
  response.end(body);
}

/** Returns the first value of a header; empty without one. */
export function headerOf({ headers }: GatewayRequest, name: string): string {
  const value = headers[name];
  return (Array.isArray(value) ? value[0] : value) ?? '';
}

/** Returns the path without the query. */
export function pathOf({ url = '' }: GatewayRequest): string {
  const end = url.indexOf('?');
  return end === -1 ? url : url.slice(0, end);
}
