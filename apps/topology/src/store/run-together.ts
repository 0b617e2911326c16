import type { ClientSession, MongoClient } from 'mongodb';
import { AppError } from '@daycare/errors';
import { inTransaction } from '@daycare/mongo';

const mostTries = 20;

/** Thrown inside `runTogether` to undo everything and answer this. */
export class Undone<T> extends Error {
  constructor(readonly outcome: T) {
    super('the transaction ends without effect');
  }
}

/** Runs changes that belong together: all of them are stored or none. A lost race is run again. */
export async function runTogether<T>(
  client: MongoClient,
  work: (session: ClientSession) => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await inTransaction(client, work);
    } catch (error) {
      if (error instanceof Undone) return error.outcome as T;
      const lostRace = error instanceof AppError && error.code === 'CONFLICT';
      if (!lostRace || tries === mostTries) throw error;
    }
  }
}

/** Thrown by work that has to be run again. */
export function lostRace(): AppError {
  return new AppError('CONFLICT', 'Too many calls at the same moment; try again');
}
