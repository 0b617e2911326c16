import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { faultOfSchedule, nextTick, tidySchedule } from './cron-schedule';

const start = new Date('2026-01-01T00:00:00Z');

/** The next ticks after a time, in ISO format without seconds. */
function ticksOf(schedule: string, timeZone: string, after: string, count: number): string[] {
  const ticks: string[] = [];
  let last: Date | undefined = new Date(after);
  while (last && ticks.length < count) {
    last = nextTick({ schedule, timeZone }, last);
    if (last) ticks.push(last.toISOString().replace(':00.000Z', 'Z'));
  }
  return ticks;
}

describe('cron schedule', () => {
  it.each([
    '* * * * *',
    '*/5 * * * *',
    '0 9-17/2 * * 1-5',
    '30 8 * JAN-mar MON,Wed',
    '0 0 1,15 * *',
    '0 0 * * 7',
    '  0\t0  * * *',
  ])('accepts the schedule %p', (schedule) => {
    expect(faultOfSchedule({ schedule, timeZone: 'UTC' }, start)).toBeUndefined();
  });

  it.each([
    ['', /five fields/],
    ['* * * *', /five fields/],
    ['* * * * * *', /five fields/],
    ['@daily', /five fields/],
    ['0 0 ? * *', /day of month/],
    ['0 0 L * *', /day of month/],
    ['0 0 15W * *', /day of month/],
    ['0 0 * * 5#2', /day of week/],
    ['0 0 * * FRIL', /day of week/],
    ['0 0 * * +1', /day of week/],
    ['5/10 * * * *', /minute/],
    ['1,,2 * * * *', /minute/],
    ['H * * * *', /minute/],
    ['0 MON * * *', /hour/],
    ['0 0\n* * *', /five fields/],
    ['60 * * * *', /out of bounds/],
    ['0 24 * * *', /out of bounds/],
    ['0 22-2 * * *', /out of bounds/],
    ['*/0 * * * *', /out of bounds/],
    ['0 0 31 2 *', /never/],
    ['0 0 30 FEB *', /never/],
    [`${'1,'.repeat(100)}1 * * * *`, /at most 200/],
  ])('rejects the schedule %p', (schedule, fault) => {
    expect(faultOfSchedule({ schedule, timeZone: 'UTC' }, start)).toMatch(fault);
  });

  it('a schedule is stored with single spaces between its fields', () => {
    expect(tidySchedule(' 0  0\t* * * ')).toBe('0 0 * * *');
  });

  it('a schedule with both a day of the month and a day of the week is due on either', () => {
    expect(ticksOf('0 0 1 * MON', 'UTC', '2026-01-29T00:00:00Z', 3)).toEqual([
      '2026-02-01T00:00Z',
      '2026-02-02T00:00Z',
      '2026-02-09T00:00Z',
    ]);
  });

  it('a schedule for 29 February is due only in leap years', () => {
    expect(ticksOf('0 12 29 2 *', 'UTC', '2026-01-01T00:00:00Z', 2)).toEqual([
      '2028-02-29T12:00Z',
      '2032-02-29T12:00Z',
    ]);
    expect(ticksOf('0 0 29 2 *', 'UTC', '2096-03-01T00:00:00Z', 1)).toEqual(['2104-02-29T00:00Z']);
  });
});

describe('daylight-saving changes', () => {
  it.each([
    {
      what: 'clocks in Europe/Vienna go forward from 2:00 to 3:00',
      timeZone: 'Europe/Vienna',
      schedule: '30 2 * * *',
      after: '2026-03-27T12:00:00Z',
      ticks: ['2026-03-28T01:30Z', '2026-03-29T01:00Z', '2026-03-30T00:30Z'],
    },
    {
      what: 'clocks in Europe/Vienna go back from 3:00 to 2:00',
      timeZone: 'Europe/Vienna',
      schedule: '30 2 * * *',
      after: '2026-10-23T12:00:00Z',
      ticks: ['2026-10-24T00:30Z', '2026-10-25T00:30Z', '2026-10-26T01:30Z'],
    },
    {
      what: 'clocks in America/New_York go forward from 2:00 to 3:00',
      timeZone: 'America/New_York',
      schedule: '30 2 * * *',
      after: '2026-03-06T12:00:00Z',
      ticks: ['2026-03-07T07:30Z', '2026-03-08T07:00Z', '2026-03-09T06:30Z'],
    },
    {
      what: 'clocks in America/New_York go back from 2:00 to 1:00',
      timeZone: 'America/New_York',
      schedule: '30 1 * * *',
      after: '2026-10-30T12:00:00Z',
      ticks: ['2026-10-31T05:30Z', '2026-11-01T05:30Z', '2026-11-02T06:30Z'],
    },
    {
      what: 'clocks in Australia/Lord_Howe go forward by half an hour',
      timeZone: 'Australia/Lord_Howe',
      schedule: '15 2 * * *',
      after: '2026-10-02T00:00:00Z',
      ticks: ['2026-10-02T15:45Z', '2026-10-03T15:30Z', '2026-10-04T15:15Z'],
    },
    {
      what: 'clocks in Australia/Lord_Howe go back by half an hour',
      timeZone: 'Australia/Lord_Howe',
      schedule: '45 1 * * *',
      after: '2026-04-03T00:00:00Z',
      ticks: ['2026-04-03T14:45Z', '2026-04-04T14:45Z', '2026-04-05T15:15Z'],
    },
  ])('a daily time is due once a day even when $what', ({ schedule, timeZone, after, ticks }) => {
    expect(ticksOf(schedule, timeZone, after, ticks.length)).toEqual(ticks);
  });

  it('a schedule with several times a day follows the wall clock: times in the changed hour are skipped in spring and repeated in autumn', () => {
    const [schedule, timeZone] = ['0,30 2 * * *', 'Europe/Vienna'];
    expect(ticksOf(schedule, timeZone, '2026-03-28T12:00:00Z', 1)).toEqual(['2026-03-30T00:00Z']);
    expect(ticksOf(schedule, timeZone, '2026-10-24T12:00:00Z', 5)).toEqual([
      '2026-10-25T00:00Z',
      '2026-10-25T00:30Z',
      '2026-10-25T01:00Z',
      '2026-10-25T01:30Z',
      '2026-10-26T01:00Z',
    ]);
  });

  it('a schedule due every half hour keeps its interval across a clock change', () => {
    const halfHours = ['00:00', '00:30', '01:00', '01:30', '02:00', '02:30'];
    for (const day of ['2026-03-29', '2026-10-25'])
      expect(
        ticksOf('*/30 * * * *', 'Europe/Vienna', new Date(+new Date(day) - 1).toISOString(), 6),
      ).toEqual(halfHours.map((time) => `${day}T${time}Z`));
  });
});

it('ticks are strictly increasing for every schedule, zone and time', () => {
  const field = (max: number) =>
    fc.oneof(
      fc.constant('*'),
      fc.integer({ min: 1, max }).map(String),
      fc.integer({ min: 1, max }).map((step) => `*/${step}`),
      fc.uniqueArray(fc.integer({ min: 1, max }), { minLength: 2, maxLength: 4 }).map(String),
    );
  const schedules = fc.tuple(field(59), field(23), field(28), field(12), field(6));
  const zones = ['UTC', 'Europe/Vienna', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kolkata'];
  const times = fc.date({ min: start, max: new Date('2030-01-01'), noInvalidDate: true });
  fc.assert(
    fc.property(schedules, fc.constantFrom(...zones), times, (fields, timeZone, from) => {
      const schedule = fields.join(' ');
      expect(faultOfSchedule({ schedule, timeZone }, from)).toBeUndefined();
      let last = from;
      for (let count = 0; count < 20; count += 1) {
        const tick = nextTick({ schedule, timeZone }, last)!;
        expect(tick.getTime()).toBeGreaterThan(last.getTime());
        expect(tick.getTime() % 60_000).toBe(0);
        // A tick does not depend on where the search starts: a search from right before it finds the same tick.
        expect(nextTick({ schedule, timeZone }, new Date(tick.getTime() - 1))).toEqual(tick);
        last = tick;
      }
    }),
    { numRuns: 100 },
  );
});
