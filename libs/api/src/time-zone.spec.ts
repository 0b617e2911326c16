import { describe, expect, it } from '@jest/globals';
import { isTimeZone } from './time-zone';

describe('time zone', () => {
  it.each(['UTC', 'Europe/Vienna', 'America/Argentina/Buenos_Aires', 'Etc/GMT+5', 'Asia/Kolkata'])(
    'accepts the time zone %p',
    (name) => expect(isTimeZone(name)).toBe(true),
  );

  it.each(['', 'Nowhere/Land', '+02:00', '-05', 'Europe/', ' UTC', 'UTC\n'])(
    'rejects the time zone %p',
    (name) => expect(isTimeZone(name)).toBe(false),
  );

  it('rejects a time zone of 10,000 characters', () => {
    expect(isTimeZone('x'.repeat(10_000))).toBe(false);
  });
});
