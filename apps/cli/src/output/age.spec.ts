import { describe, expect, it } from '@jest/globals';
import { toAge } from './age';

const now = new Date('2026-01-10T12:00:00Z');

describe('toAge', () => {
  it.each([
    ['2026-01-10T11:59:59.500Z', '0s'],
    ['2026-01-10T11:59:18Z', '42s'],
    ['2026-01-10T10:31:00Z', '1h'],
    ['2025-12-31T12:00:00Z', '10d'],
    ['2026-01-10T12:00:00.400Z', '0s'],
    ['2026-01-10T12:05:30Z', 'in 5m'],
  ])('at 2026-01-10T12:00:00Z, shows the time %s as %s', (time, age) => {
    expect(toAge(new Date(time), now)).toBe(age);
  });

  it('shows nothing without a time', () => {
    expect(toAge(undefined, now)).toBe('');
  });
});
