import { cors } from '@connectrpc/connect';
import {
  expectedUserHeader,
  headerOf,
  respond,
  setHeaders,
  type GatewayRequest,
  type GatewayResponse,
} from './gateway-request';

/** The headers of every response. Some routes replace some of them: pages set another content security policy. */
const securityHeaders = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
} as const;

const hsts = { 'strict-transport-security': 'max-age=31536000' } as const;

const requestHeaders = [
  ...cors.allowedHeaders,
  ...['authorization', 'traceparent', 'x-request-id', expectedUserHeader],
].join(', ');
const responseHeaders = [...cors.exposedHeaders, 'x-request-id', 'retry-after'].join(', ');
const methods = cors.allowedMethods.join(', ');
const preflightSeconds = '7200';

export interface HeaderRules {
  readonly origins: ReadonlySet<string>;
  readonly isSecure: boolean;
}

/** Sets the headers that every response has. If the method is OPTIONS (a preflight), also responds and returns true. */
export function setCommonHeaders(
  request: GatewayRequest,
  response: GatewayResponse,
  { origins, isSecure }: HeaderRules,
): boolean {
  setHeaders(response, { ...securityHeaders, ...(isSecure && hsts) });
  const origin = headerOf(request, 'origin');
  if (origins.size > 0) response.setHeader('vary', 'Origin');
  const isAllowed = origins.has(origin);
  if (isAllowed) {
    setHeaders(response, {
      'access-control-allow-origin': origin,
      'access-control-expose-headers': responseHeaders,
      'cross-origin-resource-policy': 'cross-origin',
    });
  }
  if (request.method !== 'OPTIONS') return false;
  respond(response, isAllowed ? 204 : 403, '', isAllowed ? preflightHeaders : {});
  return true;
}

const preflightHeaders = {
  'access-control-allow-methods': methods,
  'access-control-allow-headers': requestHeaders,
  'access-control-max-age': preflightSeconds,
} as const;
