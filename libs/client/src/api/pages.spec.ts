import { expect, it } from '@jest/globals';
import { readPages } from './pages';

const letters = ['a', 'b', 'c', 'd', 'e', 'f'];

it('reads a list up to its end or the limit, and loads no page beyond that', async () => {
  const requestedSizes: number[] = [];
  const read = async (limit?: number): Promise<string[]> => {
    const items: string[] = [];
    const pages = readPages(
      async ({ pageSize, pageToken }) => {
        requestedSizes.push(pageSize);
        const start = Number(pageToken);
        const next = start + pageSize;
        const nextPageToken = next < letters.length ? String(next) : '';
        return { items: letters.slice(start, next), nextPageToken };
      },
      { limit, pageSize: 2 },
    );
    for await (const item of pages) items.push(item);
    return items;
  };
  expect(await read()).toEqual(letters);
  expect(await read(3)).toEqual(['a', 'b', 'c']);
  expect(await read(1)).toEqual(['a']);
  expect(requestedSizes).toEqual([2, 2, 2, 2, 1, 1]);
});
