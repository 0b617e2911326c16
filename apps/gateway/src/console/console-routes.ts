import {
  headerOf,
  respond,
  setHeaders,
  type GatewayRequest,
  type GatewayResponse,
} from '../http/gateway-request';
import { respondError } from '../http/respond-error';
import type { Route } from '../http/start-gateway';
import { redirect } from '../pages/html';
import { pageHeaders } from '../pages/page-headers';
import { userOfToken } from '../sessions/user-of-token';
import type { ConsoleFile, ConsoleFiles } from './console-files';

const assetsPrefix = '/assets/';
const cacheForever = 'public, max-age=31536000, immutable';

/**
 * Serves the console: its files at `/assets/`, and its page at every other path that a browser opens, because
 * the console does its own routing. It must be the last route.
 */
export function makeConsoleRoutes(files: ConsoleFiles): (path: string) => Route | undefined {
  return (path) => {
    if (!path.startsWith(assetsPrefix)) return onlyGet(pageOf(files));
    const asset = files.assets.get(path.slice(assetsPrefix.length));
    return asset && onlyGet(async (request, response) => sendAsset(asset, request, response));
  };
}

function onlyGet(route: Route): Route {
  return async (request, response, origin) => {
    if (origin.refusal) return respondError(request, response, origin.refusal);
    if (request.method === 'GET') return route(request, response, origin);
    // The same response as for an unknown path, because gRPC clients interpret status 404 as UNIMPLEMENTED.
    respond(response, 404, 'not found\n');
  };
}

/**
 * Sends the page to a signed-in browser, redirects any other browser to the sign-in page, and responds with 404 to
 * clients that do not accept HTML.
 */
function pageOf({ pageFor }: ConsoleFiles): Route {
  return async (request, response, { authorization }) => {
    if (!headerOf(request, 'accept').includes('text/html'))
      return respond(response, 404, 'not found\n');
    if (authorization === '') return redirect(response, '/sign-in');
    setHeaders(response, pageHeaders);
    send(pageFor(userOfToken(authorization)), request, response);
  };
}

function sendAsset(asset: ConsoleFile, request: GatewayRequest, response: GatewayResponse): void {
  setHeaders(response, { 'content-type': asset.type, 'cache-control': cacheForever });
  send(asset, request, response);
}

function send(file: ConsoleFile, request: GatewayRequest, response: GatewayResponse): void {
  const isZipped = /\bgzip\b/.test(headerOf(request, 'accept-encoding'));
  const body = isZipped ? file.gzipped : file.bytes;
  setHeaders(response, { vary: 'Accept-Encoding', 'content-length': String(body.length) });
  if (isZipped) response.setHeader('content-encoding', 'gzip');
  (response.end as (body: Uint8Array) => void).call(response, body);
}
