import { Timestamp } from 'mongodb';

/**
 * Returns a placeholder that MongoDB replaces with the next tick of the cluster's clock; documents inserted by one
 * command get increasing values in their order. Works only on insert, in a top-level field other than `_id`.
 */
export function serverOrder(): Timestamp {
  return new Timestamp({ t: 0, i: 0 });
}
