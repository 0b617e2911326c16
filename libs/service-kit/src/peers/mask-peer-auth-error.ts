import { AppError, genericMessage } from '@daycare/api';

/**
 * Returns the error that this service's own callers receive when a call to a peer has failed. If the peer rejects this
 * service, that is not the callers' fault, so they receive UNAVAILABLE.
 */
export function maskPeerAuthError(error: unknown): unknown {
  const isRefused =
    error instanceof AppError && ['UNAUTHENTICATED', 'PERMISSION_DENIED'].includes(error.code);
  return isRefused
    ? new AppError('UNAVAILABLE', genericMessage('UNAVAILABLE'), {}, { cause: error })
    : error;
}
