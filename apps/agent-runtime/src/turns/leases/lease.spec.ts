import { describe, expect, it } from '@jest/globals';
import { RenewableLease } from './lease';

function leaseUntil(deadlineMs: number) {
  const clock = { nowMs: 0 };
  const lease = new RenewableLease({ shard: 1, fence: 2 }, deadlineMs, () => clock.nowMs);
  return { clock, lease };
}

describe('RenewableLease', () => {
  it('a lease is valid until its deadline', () => {
    const { clock, lease } = leaseUntil(10);
    clock.nowMs = 9;
    expect(lease.isValid()).toBe(true);
    clock.nowMs = 10;
    expect(lease.isValid()).toBe(false);
  });

  it('a lease is valid for longer when extended before its deadline', () => {
    const { clock, lease } = leaseUntil(10);
    expect(lease.extend(20)).toBe(true);
    clock.nowMs = 19;
    expect(lease.isValid()).toBe(true);
  });

  it('a lease cannot be extended after its deadline, even if it was not checked in between', () => {
    const { clock, lease } = leaseUntil(10);
    clock.nowMs = 10;
    expect(lease.extend(20)).toBe(false);
    expect(lease.isValid()).toBe(false);
  });

  it('a lease cannot be extended after it has ended', () => {
    const { lease } = leaseUntil(10);
    lease.end();
    expect(lease.extend(20)).toBe(false);
    expect(lease.isValid()).toBe(false);
  });
});
