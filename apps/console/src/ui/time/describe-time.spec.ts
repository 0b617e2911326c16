import { describe, expect, it } from '@jest/globals';
import { describeRemaining, describeMoment, describePast, describeTime } from './describe-time';

describe('describeTime', () => {
  it.each([
    [-10_000, 'just now'],
    [-5 * 60_000, '5 min. ago'],
    [-3 * 3_600_000, '3 hr. ago'],
    [-86_400_000, 'yesterday'],
  ])('describes a time %d ms from now as “%s”', (ms, text) => {
    expect(describeTime(1e12 + ms, 1e12)).toBe(text);
  });
});

describe('describePast', () => {
  it.each([
    [5 * 60_000, 'just now'],
    [-5 * 60_000, '5 min. ago'],
  ])('describes a time %d ms from now as “%s”', (ms, text) => {
    expect(describePast(1e12 + ms, 1e12)).toBe(text);
  });
});

describe('describeRemaining', () => {
  it.each([
    [-1, ''],
    [65_000, '1:05'],
    [2 * 3_600_000 + 10 * 60_000, '2 h 10 min'],
    [7 * 86_400_000, '7 days'],
  ])('describes %d remaining ms as “%s”', (ms, text) => {
    expect(describeRemaining(ms)).toBe(text);
  });
});

describe('describeMoment', () => {
  const at = new Date('2026-01-15T07:00:00Z');

  it('shows the time in the given zone, and the name of the zone', () => {
    expect(describeMoment(at, 'Europe/Vienna')).toMatch(/Jan 15.*08:00.*GMT\+1/);
    expect(describeMoment(at, 'Asia/Tokyo')).toMatch(/Jan 15.*04:00.*GMT\+9/);
  });

  it('falls back to the reader’s zone if the browser does not know the given zone', () => {
    expect(describeMoment(at, 'Mars/Olympus')).toBe(describeMoment(at));
    expect(describeMoment(at)).toMatch(/UTC|GMT|[A-Z]{3}/);
  });
});
