import { expect, it } from '@jest/globals';
import { RecentIds } from './recent-ids';

function recentIds() {
  const clock = { ms: 0 };
  return { clock, recent: new RecentIds(100, () => clock.ms) };
}

it('RecentIds remembers an id for the configured time and forgets it after twice as long', () => {
  const { clock, recent } = recentIds();
  clock.ms = 99;
  recent.add(['a']);
  for (clock.ms = 99; clock.ms < 199; clock.ms += 10) expect(recent.has('a')).toBe(true);
  clock.ms = 299;
  expect(recent.has('a')).toBe(false);
});

it('RecentIds forgets an id after twice the configured time even if ids are rarely looked up', () => {
  const { clock, recent } = recentIds();
  recent.add(['a']);
  clock.ms = 199;
  recent.has('a');
  clock.ms = 200;
  expect(recent.has('a')).toBe(false);
});

it('RecentIds forgets what was added before a long idle period', () => {
  const { clock, recent } = recentIds();
  recent.add(['a']);
  clock.ms = 1_000;
  expect(recent.has('a')).toBe(false);
});

it('RecentIds remembers no ids after it is cleared', () => {
  const { clock, recent } = recentIds();
  recent.add(['a']);
  clock.ms = 100;
  recent.add(['b']);
  recent.clear();
  expect([recent.has('a'), recent.has('b')]).toEqual([false, false]);
});
