import type { Collection, Document, Filter, FindOptions } from 'mongodb';
import { DocumentReader } from './document-reader';

/** Finds documents, in one round trip unless there are very many or very large ones. */
export type ListDocuments<D> = (filter: Filter<D>, options: FindOptions) => Promise<D[]>;

/**
 * Large, because by default the server sends only about a hundred documents at first, and the rest in further round
 * trips.
 */
const batchSize = 10_000;

/**
 * Creates a `find` for hundreds of documents, where parsing BSON would otherwise be the main cost. Create one for each
 * kind of query, because its `DocumentReader` learns the keys of the documents.
 */
export function makeListDocuments<D extends Document>(collection: Collection<D>): ListDocuments<D> {
  const reader = new DocumentReader();
  return async (filter, options) => {
    const cursor = collection.find(filter, { batchSize, ...options, raw: true });
    const found = (await cursor.toArray()) as unknown as Uint8Array[];
    return found.map((document) => reader.read(document) as D);
  };
}
