import { randomUUID } from 'node:crypto';
import { toAppError, type AppError } from '@daycare/api';
import { forwardedKey, type ClientAddress } from '@daycare/rpc';
import type { CallOrigin } from '../rpc/call-origin';
import { headerOf, type GatewayRequest } from './gateway-request';
import type { Release, RequestGate } from './request-gate';

/** The request ids that services accept: visible ASCII without spaces, short enough for a log line. */
const requestIdFormat = /^[\x21-\x7e]{1,128}$/;

export interface EnterRequestDeps {
  readonly clientAddress: ClientAddress;
  readonly gate: RequestGate;
}

/** A counted request: where it comes from, and how to stop counting it. */
export interface EnteredRequest {
  readonly origin: CallOrigin;
  readonly release: Release;
}

/** Counts a request. If it exceeds a limit, its origin has a `refusal`, which must be sent as the response. */
export function enterRequest(
  request: GatewayRequest,
  { clientAddress, gate }: EnterRequestDeps,
): EnteredRequest {
  const forwarded = headerOf(request, forwardedKey);
  const address = clientAddress(request.socket.remoteAddress ?? '', [forwarded]);
  const sent = headerOf(request, 'x-request-id');
  const requestId = requestIdFormat.test(sent) ? sent : randomUUID();
  const authorization = headerOf(request, 'authorization');
  let release: Release = () => undefined;
  let refusal: AppError | undefined;
  try {
    release = gate.enter(address);
  } catch (error) {
    refusal = toAppError(error);
  }
  return { origin: { address, authorization, requestId, refusal, release }, release };
}
