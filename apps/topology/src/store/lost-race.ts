import { AppError } from '@daycare/api';

/** Returns the error to throw inside a transaction so that the transaction is retried. */
export function lostRace(): AppError {
  return new AppError('CONFLICT', 'Too many concurrent calls; try again');
}
