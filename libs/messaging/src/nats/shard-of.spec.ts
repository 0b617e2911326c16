import { describe, expect, it } from '@jest/globals';
import { shardOf } from './shard-of';

describe('shardOf', () => {
  it('always returns the same shard for a user', () => {
    expect(
      ['', 'alice', 'bob', 'zoë', 'tz4a98xxat96iws9zmbrgj3a'].map((id) => shardOf(id, 64)),
    ).toEqual([11, 30, 22, 34, 3]);
  });

  it('spreads users evenly over the shards', () => {
    const counts = new Array<number>(64).fill(0);
    for (let user = 0; user < 64_000; user++) counts[shardOf(`user${user}`, 64)]! += 1;
    expect(Math.min(...counts)).toBeGreaterThan(850);
    expect(Math.max(...counts)).toBeLessThan(1_150);
  });
});
