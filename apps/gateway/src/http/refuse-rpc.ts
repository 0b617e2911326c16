import { encodeEnvelope } from '@connectrpc/connect/protocol';
import {
  contentTypeStreamRegExp,
  endStreamFlag,
  endStreamToJson,
} from '@connectrpc/connect/protocol-connect';
import { setTrailerStatus } from '@connectrpc/connect/protocol-grpc';
import type { AppError } from '@daycare/api';
import { toConnectError } from '../rpc/connect-error';
import { headerOf, setHeaders, type GatewayRequest, type GatewayResponse } from './gateway-request';
import { discardBody, respondError } from './respond-error';

/** Responds to an RPC with an error in the RPC's own protocol, without waiting for its message. */
export function refuseRpc(
  request: GatewayRequest,
  response: GatewayResponse,
  refusal: AppError,
): void {
  const contentType = headerOf(request, 'content-type');
  const error = toConnectError(refusal);
  if (contentType.startsWith('application/grpc')) {
    const status = Object.fromEntries(setTrailerStatus(new Headers(), error));
    setHeaders(response, { ...status, 'content-type': contentType });
    response.end();
  } else if (contentTypeStreamRegExp.test(contentType)) {
    const end = new TextEncoder().encode(
      JSON.stringify(endStreamToJson(new Headers(), error, undefined)),
    );
    setHeaders(response, { 'content-type': contentType });
    endWith(response, encodeEnvelope(endStreamFlag, end));
  } else return respondError(request, response, refusal);
  discardBody(request);
}

function endWith(response: GatewayResponse, bytes: Uint8Array): void {
  (response.end as (bytes: Uint8Array) => void).call(response, bytes);
}
