import { describe, expect, it } from '@jest/globals';
import type { ShardKey } from '../ensure-indexes';
import { shardKeyFaults } from './shard-key-faults';

const declare = (shardKey: ShardKey, ...keys: Record<string, 1>[]) => ({
  collection: 'things',
  shardKey,
  indexes: keys.map((key, index) => ({ name: `unique_${index}`, key, unique: true })),
});

describe('shardKeyFaults', () => {
  it('accepts unique indexes that start with the shard key', () => {
    const declared = declare({ userId: 'hashed' }, { userId: 1 }, { userId: 1, name: 1 });
    expect(shardKeyFaults([declared])).toEqual([]);
  });

  it('names a unique index that does not start with the shard key', () => {
    expect(shardKeyFaults([declare({ userId: 'hashed' }, { name: 1, userId: 1 })])).toEqual([
      'things: the unique index unique_0 does not start with userId',
    ]);
    expect(shardKeyFaults([declare({ a: 1, b: 1 }, { a: 1 })])).toHaveLength(1);
  });

  it('accepts any index of an unsharded collection, and any non-unique index of a sharded one', () => {
    const other = { name: 'name', key: { name: 1 as const } };
    expect(shardKeyFaults([declare('unsharded', { name: 1 })])).toEqual([]);
    expect(shardKeyFaults([{ ...declare({ _id: 'hashed' }), indexes: [other] }])).toEqual([]);
  });

  it('names a collection that is declared with two shard keys', () => {
    expect(shardKeyFaults([declare({ _id: 'hashed' }), declare('unsharded')])).toEqual([
      'things has two shard keys: {"_id":"hashed"} and "unsharded"',
    ]);
  });
});
