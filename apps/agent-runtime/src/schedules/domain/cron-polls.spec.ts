import { expect, it } from '@jest/globals';
import { CronPolls } from './cron-polls';

const second = (n: number): Date => new Date(Date.UTC(2026, 0, 1) + n * 1000);
/** Polls once per second, from `from` until just before `to`; returns the first letter of each result. */
const letters = (polls: CronPolls, from: number, to: number): string =>
  Array.from({ length: to - from }, (_, n) => polls.next(second(from + n)).charAt(0)).join('');

it('the first five cron polls of a minute look for due crons, and so does every tenth poll', () => {
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

it('the cron poll after expectSoon looks for due crons', () => {
  const polls = new CronPolls();
  expect(letters(polls, 0, 8)).toBe('sttttnnn');
  polls.expectSoon();
  expect(polls.next(second(8))).toBe('ticks');
});
