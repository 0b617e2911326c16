import type { ClientSession, MongoClient } from 'mongodb';
import { AppError } from '@daycare/api';
import { commitOrAbort, retryOnConflict, type Outcome } from '@daycare/mongo';

/** Runs a transaction, and repeats it whenever it loses a race against a concurrent one. */
export async function retryTransaction<T>(
  client: MongoClient,
  work: (session: ClientSession) => Promise<Outcome<T>>,
): Promise<T> {
  return retryOnConflict(() => commitOrAbort(client, work));
}

/** Thrown inside the transaction to run it again. */
export function lostRace(): AppError {
  return new AppError('CONFLICT', 'Too many concurrent calls; try again');
}
