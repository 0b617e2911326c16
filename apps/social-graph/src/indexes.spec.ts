import { expect, it } from '@jest/globals';
import { shardKeyFaults } from '@daycare/mongo';
import { indexes } from './indexes';

it('every unique index of social-graph starts with the shard key of its collection', () => {
  expect(shardKeyFaults(indexes)).toEqual([]);
});
