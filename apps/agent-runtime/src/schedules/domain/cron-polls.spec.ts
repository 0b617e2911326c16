import { expect, it } from '@jest/globals';
import { CronPolls } from './cron-polls';

const second = (n: number): Date => new Date(Date.UTC(2026, 0, 1) + n * 1000);
/** What the polls at these seconds look for, one letter per poll. */
const letters = (polls: CronPolls, from: number, to: number): string =>
  Array.from({ length: to - from }, (_, n) => polls.next(second(from + n)).charAt(0)).join('');

it('cron polls look for due crons at the start of each minute, and otherwise at every tenth poll', () => {
  const polls = new CronPolls();
  expect(letters(polls, 50, 60)).toBe('sttttnnnnn');
  expect(letters(polls, 60, 80)).toBe('sttttnnnnnsnnnnnnnnn');
  expect(letters(polls, 119, 124)).toBe('stttt');
});

it('the first cron poll of a minute looks for due crons, even if polls were missed or time is sped up', () => {
  const polls = new CronPolls();
  expect(letters(polls, 0, 9)).toBe('sttttnnnn');
  expect(polls.next(second(3_600))).toBe('ticks');
  const spedUp = Array.from({ length: 20 }, (_, n) => polls.next(second(4_000 + n * 60)));
  expect(spedUp).not.toContain('none');
});

it('the next cron poll looks for due crons again when some may be left', () => {
  const polls = new CronPolls();
  expect(letters(polls, 0, 8)).toBe('sttttnnn');
  polls.expectSoon();
  expect(polls.next(second(8))).toBe('ticks');
});
