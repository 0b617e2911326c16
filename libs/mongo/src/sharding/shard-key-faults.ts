import type { CollectionIndexes } from '../ensure-indexes';

/** Describes what is wrong with a database's shard keys, for a failing test; empty if nothing is. */
export function shardKeyFaults(declared: readonly CollectionIndexes[]): string[] {
  return [...declared.flatMap(splitUniqueIndexes), ...conflictingKeys(declared)];
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
function conflictingKeys(declared: readonly CollectionIndexes[]): string[] {
  const keyByCollection = new Map<string, string>();
  return declared.flatMap(({ collection, shardKey }) => {
    const key = JSON.stringify(shardKey);
    const firstKey = keyByCollection.get(collection) ?? key;
    keyByCollection.set(collection, firstKey);
    return firstKey === key ? [] : [`${collection} has two shard keys: ${firstKey} and ${key}`];
  });
}

function fieldsOf(key: CollectionIndexes['indexes'][number]['key']): string[] {
  return key instanceof Map ? [...key.keys()] : Object.keys(key);
}
