import { Timestamp } from 'mongodb';

/**
 * Returns a placeholder that MongoDB replaces on insert with the next tick of the cluster's clock; the documents of one
 * command get rising values, in their order. It must be a field at the top level, other than `_id`. Only inserts
 * replace it.
 */
export function serverOrder(): Timestamp {
  return new Timestamp({ t: 0, i: 0 });
}
