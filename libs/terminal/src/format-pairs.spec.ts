import { expect, it } from '@jest/globals';
import { formatPairs } from './format-pairs';

it('formatPairs aligns all values after the widest name, by the columns that names take up', () => {
  const pairs = [
    ['turns', '10'],
    ['日本語の名前', '2.5 MiB'],
    ['none', ''],
  ] as const;
  expect(formatPairs(pairs).split('\n')).toEqual([
    'turns         10',
    '日本語の名前  2.5 MiB',
    'none',
  ]);
});
