import { expect, it } from '@jest/globals';
import { UnreadPaths } from './unread-paths';

it('UnreadPaths counts all paths that could not be read, but keeps only the first thousand', () => {
  const unread = new UnreadPaths();
  for (let index = 0; index < 1_500; index += 1) unread.add(`ada/${index}`);
  expect(unread.count).toBe(1_500);
  expect(unread.first).toHaveLength(1_000);
  expect(unread.first.at(-1)).toBe('ada/999');
});
