import { AppError } from '@daycare/api';
import { traceparentKey, type CallOptions } from '@daycare/rpc';
import { metadataOf, type CallOrigin } from '../rpc/call-origin';
import type { Upstream } from '../rpc/upstreams';
import { headerOf, type GatewayRequest, type GatewayResponse } from '../http/gateway-request';
import { respondError } from '../http/respond-error';
import type { Route } from '../http/start-gateway';
import { downloadFile } from './download-file';
import { uploadFile } from './upload-file';

/** One upload or download, with everything that is needed to call agent-runtime for it. */
export interface FileExchange {
  readonly request: GatewayRequest;
  readonly response: GatewayResponse;
  readonly origin: CallOrigin;
  readonly runtime: Upstream;
  /** The signal is aborted when the client disconnects. */
  readonly options: CallOptions & { readonly signal: AbortSignal };
}

const transferTimeoutMs = 600_000;
const prefix = '/files';

/** `POST /files` stores the body of the request, `GET /files/<id>` returns a file. */
export function makeFileRoutes(runtime: Upstream): (path: string) => Route | undefined {
  return (path) => {
    if (path === prefix) return routeOf('POST', (exchange) => uploadFile(exchange), runtime);
    if (!path.startsWith(`${prefix}/`)) return undefined;
    const fileId = decodeURIComponentSafely(path.slice(prefix.length + 1));
    return routeOf('GET', (exchange) => downloadFile(exchange, fileId), runtime);
  };
}

function routeOf(
  method: string,
  handle: (exchange: FileExchange) => Promise<void>,
  runtime: Upstream,
): Route {
  return async (request, response, origin) => {
    const disconnected = new AbortController();
    response.once('close', () => disconnected.abort());
    try {
      const metadata = metadataOf(origin, headerOf(request, traceparentKey));
      if (request.method !== method)
        throw new AppError('UNIMPLEMENTED', `This path supports only ${method}`);
      const options = { metadata, signal: disconnected.signal, timeoutMs: transferTimeoutMs };
      await handle({ request, response, origin, runtime, options });
    } catch (error) {
      respondError(request, response, error);
    }
  };
}

function decodeURIComponentSafely(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
