import { expect, it } from '@jest/globals';
import { shardKeyFaults } from '@daycare/mongo';
import { indexes } from './open-stores';

it('every unique index of topology starts with the shard key of its collection', () => {
  expect(shardKeyFaults(indexes)).toEqual([]);
});
