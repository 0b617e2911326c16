import { expect, it } from '@jest/globals';
import { shardKeyFaults } from '@daycare/mongo';
import { indexes } from './indexes';

it('every unique index of identity starts with the shard key of its collection', () => {
  expect(shardKeyFaults(indexes)).toEqual([]);
});
