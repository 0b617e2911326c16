import type { AppError } from '@daycare/api';
import { reduceRetryAfter, type FloodGuard } from '@daycare/rpc';
import type { GatewayRequest } from './gateway-request';

/**
 * Resolves to a refusal when it should be sent: immediately, or, if the connection is flooding the gateway, after a
 * delay, but before the caller's deadline. A delay is subtracted from the time after which the client may try again.
 */
export function holdBack(
  guard: FloodGuard,
  request: GatewayRequest,
  refusal: AppError,
  deadline: number,
): Promise<AppError> {
  const { socket } = request;
  const connection = 'stream' in request ? request.stream.session : socket;
  const origin = { connection, address: socket.remoteAddress ?? '' };
  return new Promise((resolve) => {
    guard.refuse(origin, deadline, (heldMs) => resolve(reduceRetryAfter(refusal, heldMs)));
  });
}
