import { MongoError, type ClientSession, type MongoClient } from 'mongodb';
import { retryOnConflict } from './retry-on-conflict';

/** MongoDB's error code for a transaction that it aborted during a command because the transaction took too long. */
const transactionExceededLifetime = 290;

/** How a transaction ends, and what it returns. Made by `commit` and `abort`. */
interface Outcome<T> {
  readonly ending: 'commit' | 'abort';
  readonly value: T;
}

export function commit<T>(value: T): Outcome<T> {
  return { ending: 'commit', value };
}

export function abort<T>(value: T): Outcome<T> {
  return { ending: 'abort', value };
}

/**
 * Runs changes that belong together: all of them are stored or none. Runs `work` again on a conflict with another
 * transaction, or when the server aborts this transaction because it was slow. An exception in `work` aborts the
 * transaction.
 */
export async function inTransaction<T>(
  client: MongoClient,
  work: (session: ClientSession) => Promise<T>,
): Promise<T> {
  return commitOrAbort(client, async (session) => commit(await work(session)));
}

/**
 * Like `inTransaction`, for work that decides itself whether its changes are stored. Also runs `work` again when it
 * throws CONFLICT because it lost a race that MongoDB itself cannot detect.
 */
export async function retryTransaction<T>(
  client: MongoClient,
  work: (session: ClientSession) => Promise<Outcome<T>>,
): Promise<T> {
  return retryOnConflict(() => commitOrAbort(client, work));
}

async function commitOrAbort<T>(
  client: MongoClient,
  work: (session: ClientSession) => Promise<Outcome<T>>,
): Promise<T> {
  return client.withSession((session) => {
    retryInterruptedCommits(session);
    return session.withTransaction(async () => {
      const { ending, value } = await labelSlowTransaction(
        work(session),
        'TransientTransactionError',
      );
      // The driver does not commit a transaction that its callback has aborted.
      if (ending === 'abort') await session.abortTransaction();
      return value;
    });
  });
}

/**
 * An interrupted commit may have taken effect. The label makes the driver resend the commit. The server then either
 * confirms it or does not know the transaction, in which case the driver runs the whole transaction again.
 */
function retryInterruptedCommits(session: ClientSession): void {
  const commitOnce = session.commitTransaction.bind(session);
  session.commitTransaction = (options) =>
    labelSlowTransaction(commitOnce(options), 'UnknownTransactionCommitResult');
}

/**
 * Adds the label to the error if the transaction took too long. The server does so itself when it aborts a
 * transaction between two commands, but not when it aborts one during a command.
 */
async function labelSlowTransaction<T>(running: Promise<T>, label: string): Promise<T> {
  try {
    return await running;
  } catch (error) {
    if (error instanceof MongoError && error.code === transactionExceededLifetime)
      error.addErrorLabel(label);
    throw error;
  }
}
