import { constants } from 'node:http2';
import { codeToHttpStatus, errorToJson } from '@connectrpc/connect/protocol-connect';
import { toAppError } from '@daycare/api';
import { toConnectError } from '../rpc/connect-error';
import { respond, type GatewayRequest, type GatewayResponse } from './gateway-request';

/** How long the rest of a refused body is read, so that its sender receives the response. */
const lingerMs = 2_000;

/** Responds to a request with an error in Connect's format. If the response has already begun, aborts it instead. */
export function respondError(
  request: GatewayRequest,
  response: GatewayResponse,
  error: unknown,
): void {
  if (response.headersSent) return void response.destroy();
  const connectError = toConnectError(error);
  const { retryAfterMs } = toAppError(error).details;
  respond(
    response,
    codeToHttpStatus(connectError.code),
    JSON.stringify(errorToJson(connectError, undefined)),
    {
      ...Object.fromEntries(connectError.metadata),
      'content-type': 'application/json',
      ...(retryAfterMs !== undefined && { 'retry-after': String(Math.ceil(retryAfterMs / 1_000)) }),
    },
  );
  discardBody(request);
}

/** Discards the rest of a body, and aborts the request if it has not ended after a while. */
export function discardBody(request: GatewayRequest): void {
  if (request.complete) return;
  const timer = setTimeout(() => abort(request), lingerMs);
  request.once('close', () => clearTimeout(timer));
  request.on('error', () => undefined).resume();
}

function abort(request: GatewayRequest): void {
  if ('stream' in request) request.stream.close(constants.NGHTTP2_NO_ERROR);
  else request.destroy();
}
