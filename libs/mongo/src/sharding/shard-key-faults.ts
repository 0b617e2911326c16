import type { CollectionIndexes } from '../ensure-indexes';

/** What is wrong with the shard keys of a database, described for a failed test; empty when nothing is. */
export function shardKeyFaults(declared: readonly CollectionIndexes[]): string[] {
  return [...declared.flatMap(splitUniqueIndexes), ...differingKeys(declared)];
}

function splitUniqueIndexes({ collection, shardKey, indexes }: CollectionIndexes): string[] {
  if (shardKey === 'unsharded') return [];
  const fields = Object.keys(shardKey);
  return indexes
    .filter(({ unique }) => unique)
    .filter(({ key }) => fields.some((field, position) => fieldsOf(key)[position] !== field))
    .map(
      ({ name }) => `${collection}: the unique index ${name} does not start with ${fields.join()}`,
    );
}

/** Several declarations may add indexes to one collection; all must name the same shard key. */
function differingKeys(declared: readonly CollectionIndexes[]): string[] {
  const keyByCollection = new Map<string, string>();
  return declared.flatMap(({ collection, shardKey }) => {
    const key = JSON.stringify(shardKey);
    const known = keyByCollection.get(collection) ?? key;
    keyByCollection.set(collection, known);
    return known === key ? [] : [`${collection} has two shard keys: ${known} and ${key}`];
  });
}

function fieldsOf(key: CollectionIndexes['indexes'][number]['key']): string[] {
  return key instanceof Map ? [...key.keys()] : Object.keys(key);
}
