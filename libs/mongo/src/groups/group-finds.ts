import type { Collection, Document, Filter, WithId } from 'mongodb';
import { groupReads } from './group-reads';
import type { GroupLimits } from './group-calls';

/**
 * Lets concurrent look-ups of documents by a unique field share queries; see `groupReads`. The field needs a unique
 * index. Callers check any further conditions on the result, because MongoDB has a faster path for queries by one field
 * alone.
 */
export function groupFinds<T extends Document>(
  collection: Collection<T>,
  field: keyof T & string,
  { projection, ...limits }: { readonly projection?: Document } & GroupLimits<string> = {},
): (key: string) => Promise<WithId<T> | undefined> {
  const options = projection === undefined ? {} : { projection };
  return groupReads<string, WithId<T>>(async (keys) => {
    const value = keys.length === 1 ? keys[0] : { $in: keys };
    const filter = { [field]: value } as Filter<T>;
    const found = await collection
      .find(filter, { ...options, batchSize: keys.length + 1 })
      .toArray();
    return new Map(found.map((document) => [document[field] as string, document]));
  }, limits);
}
