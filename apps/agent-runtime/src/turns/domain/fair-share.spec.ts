import { describe, expect, it } from '@jest/globals';
import { adjustShare, fairShare } from './fair-share';

describe('fairShare', () => {
  it('gives a lone replica everything', () => {
    expect(fairShare(64, 1)).toBe(64);
  });

  it('rounds up so that no shard is left over', () => {
    expect(fairShare(64, 2)).toBe(32);
    expect(fairShare(64, 3)).toBe(22);
    for (let replicas = 1; replicas <= 100; replicas++) {
      expect(fairShare(64, replicas) * replicas).toBeGreaterThanOrEqual(64);
    }
  });

  it('gives one shard when there are more replicas than shards', () => {
    expect(fairShare(64, 65)).toBe(1);
  });

  it('treats a count of no replicas as being alone', () => {
    expect(fairShare(64, 0)).toBe(64);
  });
});

describe('adjustShare', () => {
  it.each([
    { held: 0, share: 22, acquire: 22, release: 0 },
    { held: 20, share: 22, acquire: 2, release: 0 },
    { held: 22, share: 22, acquire: 0, release: 0 },
    { held: 64, share: 22, acquire: 0, release: 42 },
  ])('acquires $acquire and releases $release when holding $held of $share', (row) => {
    const { held, share, ...adjustment } = row;
    expect(adjustShare(held, share)).toEqual(adjustment);
  });
});
