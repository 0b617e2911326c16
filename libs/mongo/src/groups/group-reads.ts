import { groupCalls, type GroupLimits } from './group-calls';

/** Finds what belongs to each of these keys, in one query; keys without a match are absent from the result. */
export type ReadMany<Key, Found> = (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Found>>;

/**
 * Lets concurrent look-ups share queries; see `groupCalls`. A key that several calls request is looked up
 * once per batch, so callers share the result and must not change it.
 */
export function groupReads<Key extends string | number, Found>(
  read: ReadMany<Key, Found>,
  limits: GroupLimits<Key> = {},
): (key: Key) => Promise<Found | undefined> {
  return groupCalls<Key, Found | undefined>(async (keys) => {
    const found = await read([...new Set(keys)]);
    return keys.map((key) => found.get(key));
  }, limits);
}
