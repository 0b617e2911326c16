import { AppError, genericMessage } from '@daycare/api';

/**
 * Returns the error of a call to a peer as this service's own callers may see it. It is not their fault if the peer
 * rejects this service.
 */
export function maskPeerAuthError(error: unknown): unknown {
  const isRefused =
    error instanceof AppError && ['UNAUTHENTICATED', 'PERMISSION_DENIED'].includes(error.code);
  return isRefused
    ? new AppError('UNAVAILABLE', genericMessage('UNAVAILABLE'), {}, { cause: error })
    : error;
}
