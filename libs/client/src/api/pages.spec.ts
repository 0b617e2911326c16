import { expect, it } from '@jest/globals';
import { readPages } from './pages';

const letters = ['a', 'b', 'c', 'd', 'e', 'f'];

it('reads the pages of a list to its end or to the limit, and no further page', async () => {
  const asked: number[] = [];
  const read = async (limit?: number): Promise<string[]> => {
    const items: string[] = [];
    const pages = readPages(
      async ({ pageSize, pageToken }) => {
        asked.push(pageSize);
        const at = Number(pageToken);
        const next = at + pageSize;
        const nextPageToken = next < letters.length ? String(next) : '';
        return { items: letters.slice(at, next), nextPageToken };
      },
      { limit, pageSize: 2 },
    );
    for await (const item of pages) items.push(item);
    return items;
  };
  expect(await read()).toEqual(letters);
  expect(await read(3)).toEqual(['a', 'b', 'c']);
  expect(await read(1)).toEqual(['a']);
  expect(asked).toEqual([2, 2, 2, 2, 1, 1]);
});
