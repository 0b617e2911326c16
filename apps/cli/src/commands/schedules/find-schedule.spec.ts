import { expect, it } from '@jest/globals';
import { idByName } from './find-schedule';

const crons = [
  { id: 'c1', name: 'tea' },
  { id: 'c2', name: 'news' },
  { id: 'c3', name: 'news' },
];
const find = (text: string): string => idByName(text, crons, ({ name }) => name, 'cron');

it('a schedule is found by its name or its id', () => {
  expect([find('tea'), find('c2')]).toEqual(['c1', 'c2']);
});

it('a name that several schedules have is refused', () => {
  expect(() => find('news')).toThrow('2 crons are called "news".');
});

it('an unknown name is passed on to the service, which reports it', () => {
  expect(find('coffee')).toBe('coffee');
});
