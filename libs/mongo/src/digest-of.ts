import type { Collection, Document, Filter } from 'mongodb';

/** Sums of so many different remainders are exact for millions of documents. */
const remainders = 2 ** 31;

/**
 * A text that differs whenever `value`, an aggregation expression, differs for one of the matching
 * documents, or others match: tells whether a long list has changed, in one query and without reading it.
 */
export async function digestOf<T extends Document>(
  collection: Collection<T>,
  filter: Filter<T>,
  value: unknown,
  hint?: string,
): Promise<string> {
  const hash = { $abs: { $mod: [{ $toHashedIndexKey: value }, remainders] } };
  const [found] = await collection
    .aggregate<{ count: number; sum: number }>(
      [{ $match: filter }, { $group: { _id: null, count: { $sum: 1 }, sum: { $sum: hash } } }],
      hint === undefined ? {} : { hint },
    )
    .toArray();
  return found ? `${found.count}-${String(found.sum)}` : '';
}
