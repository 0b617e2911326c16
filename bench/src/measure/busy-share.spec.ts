import { describe, expect, it } from '@jest/globals';
import { busyShareOf } from './busy-share';

const core = (user: number, idle: number) => ({ times: { user, nice: 0, sys: 0, irq: 0, idle } });

describe('busyShareOf', () => {
  it('the busy share is an average over all cores', () => {
    const before = [core(100, 100), core(0, 500)];
    const after = [core(150, 150), core(0, 600)];
    expect(busyShareOf(before, after)).toBeCloseTo(0.25);
  });

  it('the busy share is zero if no time has passed between the readings', () => {
    expect(busyShareOf([core(1, 1)], [core(1, 1)])).toBe(0);
  });
});
