import { expect, it } from '@jest/globals';
import { shardKeyFaults } from '@daycare/mongo';
import { indexes } from './open-stores';

it('every unique index in topology starts with its collection’s shard key', () => {
  expect(shardKeyFaults(indexes)).toEqual([]);
});
