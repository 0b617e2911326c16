import { MongoError, type ClientSession, type MongoClient } from 'mongodb';

/** The server has ended a transaction that took too long, in the middle of one of its commands. */
const tookTooLong = 290;

/**
 * Runs changes that belong together: all of them are stored or none. They are run again when another
 * transaction was in the way, or when the server ended this one because a crowded machine was slow.
 */
export async function inTransaction<T>(
  client: MongoClient,
  work: (session: ClientSession) => Promise<T>,
): Promise<T> {
  return client.withSession((session) =>
    session.withTransaction(async () => {
      try {
        return await work(session);
      } catch (error) {
        // Between two commands the server marks that as passing by itself, but not within one.
        if (error instanceof MongoError && error.code === tookTooLong)
          error.addErrorLabel('TransientTransactionError');
        throw error;
      }
    }),
  );
}
