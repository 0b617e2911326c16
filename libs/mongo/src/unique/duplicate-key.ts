import { MongoServerError } from 'mongodb';

export const duplicateKey = 11000;

/**
 * Returns the name of the unique index that refused a write, or undefined for any other failure. This is how
 * a caller finds out that it lost a race.
 */
export function violatedIndex(error: unknown): string | undefined {
  if (!(error instanceof MongoServerError) || error.code !== duplicateKey) return undefined;
  return /index: (\S+)/.exec(error.message)?.[1];
}

/** Returns the result of a write, or undefined when a unique index refused it. */
export async function tryWrite<T extends object | null>(
  write: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await write();
  } catch (error) {
    if (violatedIndex(error) === undefined) throw error;
    return undefined;
  }
}

/** Retries an upsert that lost a race for its key. By then the document exists, so the retry finds it. */
export async function retryOnDuplicateKey<T>(upsert: () => Promise<T>): Promise<T> {
  try {
    return await upsert();
  } catch (error) {
    if (violatedIndex(error) === undefined) throw error;
    return upsert();
  }
}
