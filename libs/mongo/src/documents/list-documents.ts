import type { Collection, Document, Filter, FindOptions } from 'mongodb';
import { DocumentReader } from './document-reader';

/** Finds documents, in one round trip unless there are very many or very large ones. */
export type ListDocuments<D> = (filter: Filter<D>, options: FindOptions) => Promise<D[]>;

/**
 * Large, because by default the server sends only a hundred documents first, and the rest in further round
 * trips.
 */
const batchSize = 10_000;

/**
 * Makes a `find` for lists of hundreds of documents, whose main cost would be parsing BSON. Make one for each kind of
 * query: see `DocumentReader`.
 */
export function makeListDocuments<D extends Document>(collection: Collection<D>): ListDocuments<D> {
  const reader = new DocumentReader();
  return async (filter, options) => {
    const cursor = collection.find(filter, { batchSize, ...options, raw: true });
    const found = (await cursor.toArray()) as unknown as Uint8Array[];
    return found.map((document) => reader.read(document) as D);
  };
}
