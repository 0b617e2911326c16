import { describe, expect, it } from '@jest/globals';
import { countCreation, msUntilNextDay, subuserLimits, tooManyToday } from './subuser-limits';

const at = new Date('2026-11-17T23:59:00Z');

describe('countCreation, tooManyToday and msUntilNextDay', () => {
  it('the number of subusers created accumulates during a day and restarts the next day', () => {
    expect(countCreation(undefined, at)).toEqual({ day: '2026-11-17', count: 1 });
    expect(countCreation({ day: '2026-11-17', count: 4 }, at).count).toBe(5);
    expect(countCreation({ day: '2026-11-16', count: 4 }, at).count).toBe(1);
  });

  it('a user may create ten times as many subusers a day as it may have at once', () => {
    const limits = subuserLimits(100);
    expect(tooManyToday({ day: '2026-11-17', count: 1_000 }, limits)).toBe(false);
    expect(tooManyToday({ day: '2026-11-17', count: 1_001 }, limits)).toBe(true);
  });

  it('the count of subusers created in a day restarts at midnight UTC', () => {
    expect(msUntilNextDay(at)).toBe(60_000);
    expect(msUntilNextDay(new Date('2026-12-31T00:00:00Z'))).toBe(86_400_000);
  });
});
