import { headerOf, type GatewayRequest } from '../http/gateway-request';

/** The origin of the gateway's own pages, as the browser that sends a request sees it. */
export interface OwnOrigin {
  readonly origin: string;
  /** False only for plaintext on this machine. */
  readonly isSecure: boolean;
}

const loopback = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/;

/**
 * Finds where browsers reach this gateway: at the configured URL or, if there is none, on this machine. No
 * other host name is trusted, because whoever controls one could point it at this gateway.
 */
export function makeOwnOrigin(
  configured: string | undefined,
): (request: GatewayRequest) => OwnOrigin | undefined {
  const fixed = configured === undefined ? undefined : originOf(configured);
  return (request) => {
    if (fixed) return fixed;
    const host = hostOf(request);
    return loopback.test(host) ? { origin: `http://${host}`, isSecure: false } : undefined;
  };
}

function originOf(url: string): OwnOrigin {
  const { origin, protocol } = new URL(url);
  return { origin, isSecure: protocol === 'https:' };
}

function hostOf(request: GatewayRequest): string {
  return headerOf(request, ':authority') || headerOf(request, 'host');
}

/** Reports whether one of the gateway's own pages made the request. Browsers do not let scripts set `origin`. */
export function isFromOwnPage(request: GatewayRequest, { origin }: OwnOrigin): boolean {
  return headerOf(request, 'origin') === origin;
}

/** Reports whether the request method promises to change nothing. Links on other sites can cause such requests. */
export function isReadOnly({ method }: GatewayRequest): boolean {
  return method === 'GET' || method === 'HEAD';
}
