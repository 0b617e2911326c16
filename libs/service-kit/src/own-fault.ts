import { AppError, blandTextOf } from '@daycare/errors';

/**
 * An error of a call that a service made for itself, as its own callers may see it: that a peer does
 * not believe this service is not the fault of whoever called it.
 */
export function ownFault(error: unknown): unknown {
  const isRefused =
    error instanceof AppError && ['UNAUTHENTICATED', 'PERMISSION_DENIED'].includes(error.code);
  return isRefused
    ? new AppError('UNAVAILABLE', blandTextOf('UNAVAILABLE'), {}, { cause: error })
    : error;
}
