import type { ClientSession, MongoClient } from 'mongodb';
import { AppError } from '@daycare/api';
import { commitOrAbort, retryOnConflict, type Outcome } from '@daycare/mongo';

/** Runs a transaction and retries it when it loses a race against a concurrent one. */
export async function retryTransaction<T>(
  client: MongoClient,
  work: (session: ClientSession) => Promise<Outcome<T>>,
): Promise<T> {
  return retryOnConflict(() => commitOrAbort(client, work));
}

/** Returns the error to throw inside the transaction to have it retried. */
export function lostRace(): AppError {
  return new AppError('CONFLICT', 'Too many concurrent calls; try again');
}
