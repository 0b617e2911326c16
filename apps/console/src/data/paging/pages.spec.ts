import { expect, it } from '@jest/globals';
import { collectPages } from './pages';

/** Creates a list of numbers, served in pages of at most `maxPageSize` entries. */
function listOf(count: number, maxPageSize: number) {
  const all = Array.from({ length: count }, (_, index) => index);
  let reads = 0;
  const read = async ({ pageToken }: { readonly pageToken: string }) => {
    reads += 1;
    const from = Number(pageToken);
    const to = from + maxPageSize;
    return { items: all.slice(from, to), nextPageToken: to < count ? String(to) : '' };
  };
  return { read, reads: () => reads };
}

it.each([
  ['a list shorter than the limit', 7, 10, 7, false],
  ['a list as long as the limit', 9, 9, 9, false],
  ['a list that ends just beyond the limit', 9, 8, 8, true],
  ['a list that continues far beyond the limit', 100, 6, 6, true],
  ['an empty list', 0, 5, 0, false],
])(
  'collects the pages of %s, and reports whether there is more',
  async (_, count, max, collectedCount, isMoreExpected) => {
    const list = listOf(count, 3);
    const { items, hasMore } = await collectPages(list.read, max);
    expect(items).toEqual(Array.from({ length: collectedCount }, (_, index) => index));
    expect(hasMore).toBe(isMoreExpected);
    expect(list.reads()).toBe(Math.max(1, Math.ceil(collectedCount / 3)));
  },
);
