import { MongoServerError } from 'mongodb';

const duplicateKey = 11000;

/**
 * The name of the unique index that refused a write, or undefined when the failure was another one.
 * This is how the database tells who lost a race.
 */
export function violatedIndex(error: unknown): string | undefined {
  if (!(error instanceof MongoServerError) || error.code !== duplicateKey) return undefined;
  return /index: (\S+)/.exec(error.message)?.[1];
}
