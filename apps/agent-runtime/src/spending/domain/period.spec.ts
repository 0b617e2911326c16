import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { dayOf } from '../../agents';
import { daysBetween, isDay, monthStart, periodEnd, periodKey, periods } from './period';

const times = fc.date({
  min: new Date('2000-01-01T00:00:00Z'),
  max: new Date('2100-12-31T23:59:59.999Z'),
  noInvalidDate: true,
});

describe('periods', () => {
  it.each([
    ['day', '2026-11-17', '2026-11-17', '2026-11-18T00:00:00.000Z'],
    ['day', '2028-02-28', '2028-02-28', '2028-02-29T00:00:00.000Z'],
    ['day', '2026-12-31', '2026-12-31', '2027-01-01T00:00:00.000Z'],
    ['month', '2026-11-17', '2026-11', '2026-12-01T00:00:00.000Z'],
    ['month', '2026-12-31', '2026-12', '2027-01-01T00:00:00.000Z'],
  ] as const)('the %s of %s is %s and ends at %s', (period, day, key, end) => {
    expect(periodKey(period, day)).toBe(key);
    expect(periodEnd(period, key).toISOString()).toBe(end);
  });

  it('every time lies in one period, and the next period begins exactly when that one ends', () => {
    fc.assert(
      fc.property(times, fc.constantFrom(...periods), (at, period) => {
        const key = periodKey(period, dayOf(at));
        const end = periodEnd(period, key);
        expect(at < end).toBe(true);
        expect(periodKey(period, dayOf(new Date(end.getTime() - 1)))).toBe(key);
        expect(periodKey(period, dayOf(end)) > key).toBe(true);
      }),
    );
  });

  it('a later time never has a smaller period key', () => {
    fc.assert(
      fc.property(times, times, fc.constantFrom(...periods), (one, other, period) => {
        const [first, second] = one <= other ? [one, other] : [other, one];
        expect(periodKey(period, dayOf(first)) <= periodKey(period, dayOf(second))).toBe(true);
      }),
    );
  });

  it('counts the days from one date to another, both included, and finds the first day of a month', () => {
    expect(daysBetween('2026-02-27', '2026-03-01')).toBe(3);
    expect(daysBetween('2026-03-01', '2026-03-01')).toBe(1);
    expect(daysBetween('2026-03-02', '2026-03-01')).toBeLessThan(0);
    expect(monthStart('2026-03-17')).toBe('2026-03-01');
  });

  it.each(['', '2026-1-1', '2026-02-29', '2026-13-01', 'yesterday', '2026-01-01T00:00:00Z'])(
    '%j is not a day',
    (text) => expect(isDay(text)).toBe(false),
  );

  it('accepts a leap day', () => expect(isDay('2028-02-29')).toBe(true));
});
