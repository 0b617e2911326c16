import { describe, expect, it } from '@jest/globals';
import { adjustShare, chooseReleases, fairShare } from './fair-share';

describe('fairShare', () => {
  it('assigns all shards to a lone replica', () => {
    expect(fairShare(64, 1)).toBe(64);
  });

  it('rounds up so that no shard is left over', () => {
    expect(fairShare(64, 2)).toBe(32);
    expect(fairShare(64, 3)).toBe(22);
    for (let replicas = 1; replicas <= 100; replicas++) {
      expect(fairShare(64, replicas) * replicas).toBeGreaterThanOrEqual(64);
    }
  });

  it('limits each replica to one shard when there are more replicas than shards', () => {
    expect(fairShare(64, 65)).toBe(1);
  });

  it('treats a replica count of zero as a single replica', () => {
    expect(fairShare(64, 0)).toBe(64);
  });
});

describe('adjustShare', () => {
  it.each([
    { held: 0, share: 22, acquire: 22, release: 0 },
    { held: 20, share: 22, acquire: 2, release: 0 },
    { held: 22, share: 22, acquire: 0, release: 0 },
    { held: 64, share: 22, acquire: 0, release: 42 },
  ])(
    'acquires $acquire and releases $release shards when $held are held and the fair share is $share',
    (row) => {
      const { held, share, ...adjustment } = row;
      expect(adjustShare(held, share)).toEqual(adjustment);
    },
  );
});

describe('chooseReleases', () => {
  const held = [3, 0, 1, 0, 2, 0].map((turns, shard) => ({
    shard,
    turns,
    wasTriedRecently: false,
  }));
  const choose = (excess: number, maxBusy: number): number[] =>
    chooseReleases(held, excess, maxBusy).map(({ shard }) => shard);

  it('chooses only idle shards if there are enough of them or busy ones are not allowed', () => {
    expect(choose(0, 4)).toEqual([]);
    expect(choose(2, 4)).toEqual([5, 3]);
    expect(choose(3, 0)).toEqual([5, 3, 1]);
    expect(choose(5, 0)).toEqual([5, 3, 1]);
  });

  it('chooses the idle shards and then a limited number of busy ones, those with the fewest turns first', () => {
    expect(choose(5, 4)).toEqual([5, 3, 1, 2, 4]);
    expect(choose(6, 1)).toEqual([5, 3, 1, 2]);
  });

  it('leaves out busy shards whose release was attempted recently', () => {
    const tried = held.map((each) => ({
      ...each,
      wasTriedRecently: [2, 3].includes(each.shard),
    }));
    expect(chooseReleases(tried, 5, 1).map(({ shard }) => shard)).toEqual([5, 3, 1, 4]);
  });
});
