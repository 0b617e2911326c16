import { describe, expect, it } from '@jest/globals';
import { KeptLease } from './lease';

function leaseUntil(deadlineMs: number) {
  const clock = { nowMs: 0 };
  const lease = new KeptLease({ shard: 1, fence: 2 }, deadlineMs, () => clock.nowMs);
  return { clock, lease };
}

describe('a lease', () => {
  it('is valid before its deadline and not from then on', () => {
    const { clock, lease } = leaseUntil(10);
    clock.nowMs = 9;
    expect(lease.isValid()).toBe(true);
    clock.nowMs = 10;
    expect(lease.isValid()).toBe(false);
  });

  it('is valid for longer when it is extended in time', () => {
    const { clock, lease } = leaseUntil(10);
    expect(lease.extend(20)).toBe(true);
    clock.nowMs = 19;
    expect(lease.isValid()).toBe(true);
  });

  it('is not revived once it has passed its deadline, though nobody looked', () => {
    const { clock, lease } = leaseUntil(10);
    clock.nowMs = 10;
    expect(lease.extend(20)).toBe(false);
    expect(lease.isValid()).toBe(false);
  });

  it('stays invalid when it has ended', () => {
    const { lease } = leaseUntil(10);
    lease.end();
    expect(lease.extend(20)).toBe(false);
    expect(lease.isValid()).toBe(false);
  });
});
