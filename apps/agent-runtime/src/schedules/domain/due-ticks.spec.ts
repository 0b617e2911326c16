import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { nextTick as cronTick } from './cron-schedule';
import { every, isTooLate, stepOf, oneTimeStepOf, type DueStep, type NextTick } from './due-ticks';
import { scheduleMoment, scheduleTime } from './schedule-clock';

const graceMs = 60_000;
const at = (time: string): Date => new Date(`2026-03-10T${time}Z`);
const everyMinute: NextTick = (after) =>
  cronTick({ schedule: '* * * * *', timeZone: 'UTC' }, after);
const atThree: NextTick = (after) => cronTick({ schedule: '0 3 * * *', timeZone: 'UTC' }, after);

/** The ticks that fire when a replica polls at these times. */
function fire(nextTick: NextTick, dueAt: Date, polls: readonly Date[], grace = graceMs): Date[] {
  const fired: Date[] = [];
  let due: Date | undefined = dueAt;
  for (const now of polls)
    for (;;) {
      const step: DueStep | undefined = due && stepOf(due, nextTick, { now, graceMs: grace });
      if (!step) break;
      if (step.tick) fired.push(step.tick);
      due = step.next;
    }
  return fired;
}

describe('due ticks', () => {
  it('a tick is due at its time, and not before', () => {
    expect(
      stepOf(at('10:00:00'), everyMinute, { now: at('09:59:59.999'), graceMs }),
    ).toBeUndefined();
    expect(stepOf(at('10:00:00'), everyMinute, { now: at('10:00:00'), graceMs })).toEqual({
      tick: at('10:00:00'),
      next: at('10:01:00'),
    });
  });

  it('all ticks that are late by less than the grace period fire in order', () => {
    const polls = [at('10:02:30')];
    expect(fire(everyMinute, at('10:00:00'), polls, 3 * 60_000)).toEqual([
      at('10:00:00'),
      at('10:01:00'),
      at('10:02:00'),
    ]);
  });

  it('of the ticks late by more than the grace period, only the newest fires, followed by all ticks within the grace period', () => {
    expect(fire(everyMinute, at('07:00:00'), [at('10:00:30')])).toEqual([
      at('09:59:00'),
      at('10:00:00'),
    ]);
  });

  it('a tick missed less than a day ago fires, but an older one does not', () => {
    expect(fire(atThree, at('03:00:00'), [new Date('2026-03-11T02:59:59Z')])).toEqual([
      at('03:00:00'),
    ]);
    expect(fire(atThree, at('03:00:00'), [new Date('2026-03-11T02:59:59.999Z')])).toHaveLength(1);
    const monthly: NextTick = (after) =>
      cronTick({ schedule: '0 3 10 * *', timeZone: 'UTC' }, after);
    const step = stepOf(at('03:00:00'), monthly, {
      now: new Date('2026-03-11T03:00:00Z'),
      graceMs,
    });
    expect(step).toEqual({ tick: undefined, next: new Date('2026-04-10T03:00:00Z') });
  });

  it('a one-time schedule fires once if it is less than a day late; if it is later than that, it skips the tick and fires at the next one', () => {
    const stepAt = (now: Date): DueStep | undefined =>
      oneTimeStepOf(at('03:00:00'), atThree, { now, graceMs });
    for (const now of [at('03:00:00'), at('03:01:01'), at('08:00:00')])
      expect(stepAt(now)).toEqual({ tick: at('03:00:00'), next: undefined });
    const nextDay = new Date('2026-03-11T03:00:00Z');
    expect(stepAt(new Date('2026-03-11T04:00:00Z'))).toEqual({ tick: nextDay, next: undefined });
    expect(stepAt(at('02:59:59'))).toBeUndefined();
    const tooLate = stepAt(new Date('2026-03-11T03:00:30Z'));
    expect(tooLate).toEqual({ tick: undefined, next: nextDay });
  });

  it('the newest missed tick is found without computing the millions of ticks missed in ten years', () => {
    const now = new Date('2036-03-10T10:00:30Z');
    let computed = 0;
    const counted: NextTick = (after) => ((computed += 1), everyMinute(after));
    expect(fire(counted, at('07:00:00'), [now])).toHaveLength(2);
    expect(computed).toBeLessThan(100);
  });

  it('no tick fires twice or out of order, whenever replicas poll', () => {
    const minutes = fc.integer({ min: 1, max: 90 });
    const polls = fc.array(fc.integer({ min: 0, max: 40 * 60 * 60_000 }), { maxLength: 30 });
    fc.assert(
      fc.property(
        minutes,
        polls,
        fc.constantFrom(graceMs, 60 * graceMs),
        (step, offsets, grace) => {
          const nextTick = every(step * 60_000, at('00:00:00'));
          const times = [...offsets].sort((one, other) => one - other);
          const moments = times.map((ms) => new Date(at('00:00:00').getTime() + ms));
          const fired = fire(nextTick, at('00:00:00'), moments, grace).map(Number);
          expect(fired).toEqual([...new Set(fired)].sort((one, other) => one - other));
        },
      ),
    );
  });

  it('every tick fires when a replica polls at least once within each grace period', () => {
    const pauses = fc.array(fc.integer({ min: 1, max: graceMs - 1 }), {
      minLength: 1,
      maxLength: 60,
    });
    fc.assert(
      fc.property(pauses, fc.integer({ min: 1, max: 600 }), (between, seconds) => {
        const from = at('00:00:00');
        const nextTick = every(seconds * 1_000, from);
        let ms = from.getTime();
        const polls = between.map((pause) => new Date((ms += pause)));
        const expected: Date[] = [];
        for (let tick = from; tick <= polls.at(-1)!; tick = nextTick(tick)!) expected.push(tick);
        expect(fire(nextTick, from, polls)).toEqual(expected);
      }),
    );
  });
});

it('a claimed tick is not delivered after a day, unless the grace period is longer', () => {
  const now = new Date('2026-03-11T10:00:00Z');
  expect(isTooLate(at('10:00:01'), { now, graceMs })).toBe(false);
  expect(isTooLate(at('10:00:00'), { now, graceMs })).toBe(true);
  expect(isTooLate(at('10:00:00'), { now, graceMs: 48 * 60 * graceMs })).toBe(false);
});

it('the schedule clock follows real time at speed 1; at speed 60 it runs 60 times as fast and its grace period is 60 times as long', () => {
  const real = at('10:00:00');
  expect(scheduleTime(real, 1)).toEqual(real);
  const later = new Date(real.getTime() + 1_000);
  expect(+scheduleTime(later, 60) - +scheduleTime(real, 60)).toBe(60_000);
  expect(scheduleMoment(real, 60)).toEqual({ now: scheduleTime(real, 60), graceMs: 36_000_000 });
});
