import { describe, expect, it } from '@jest/globals';
import { TokenBuckets } from './token-buckets';

function setUp() {
  let atMs = 1_000;
  const buckets = new TokenBuckets({ perSecond: 2, burst: 4 }, () => atMs);
  const takeAll = (key: string): number => {
    let taken = 0;
    while (buckets.take(key) === 0) taken += 1;
    return taken;
  };
  return { buckets, takeAll, setClock: (ms: number) => (atMs = ms) };
}

describe('TokenBuckets', () => {
  it('starts full, refills up to the burst and ignores a clock that is set back', () => {
    const { takeAll, setClock } = setUp();
    expect(takeAll('ada')).toBe(4);
    setClock(2_000);
    expect(takeAll('ada')).toBe(2);
    setClock(60_000);
    expect(takeAll('ada')).toBe(4);
    setClock(0);
    expect(takeAll('ada')).toBe(0);
  });

  it('returns how long to wait for the next token', () => {
    const { buckets, takeAll, setClock } = setUp();
    expect(buckets.waitMs('ada')).toBe(0);
    takeAll('ada');
    expect(buckets.take('ada')).toBe(500);
    setClock(1_250);
    expect(buckets.waitMs('ada')).toBe(250);
  });

  it('reports the wait without taking a token', () => {
    const { buckets, takeAll } = setUp();
    for (let count = 0; count < 10; count += 1) buckets.waitMs('ada');
    expect(takeAll('ada')).toBe(4);
  });

  it('accepts a returned token, but never holds more tokens than the burst', () => {
    const { buckets, takeAll } = setUp();
    takeAll('ada');
    buckets.refund('ada');
    expect(takeAll('ada')).toBe(1);
    for (let count = 0; count < 10; count += 1) buckets.refund('ada');
    expect(takeAll('ada')).toBe(4);
  });

  it('charges more tokens than there are if necessary, which makes later calls wait longer', () => {
    const { buckets, setClock } = setUp();
    for (let count = 0; count < 10; count += 1) buckets.charge('ada');
    expect(buckets.waitMs('ada')).toBe(3_500);
    setClock(4_500);
    expect(buckets.take('ada')).toBe(0);
  });

  it('does not evict a bucket in use while many other keys are only queried', () => {
    const { buckets, takeAll } = setUp();
    takeAll('ada');
    for (let count = 0; count < 50_000; count += 1) buckets.waitMs(`visitor ${count}`);
    expect(buckets.waitMs('ada')).toBe(500);
  });
});
