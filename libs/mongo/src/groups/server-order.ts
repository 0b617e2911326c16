import { Timestamp } from 'mongodb';

/**
 * A value that MongoDB replaces when the document is inserted: with the next tick of the cluster's clock, a
 * higher one for every document, in the order of the command. It must be a field at the top level, other
 * than `_id`, and it is replaced by inserts only.
 */
export function serverOrder(): Timestamp {
  return new Timestamp({ t: 0, i: 0 });
}
