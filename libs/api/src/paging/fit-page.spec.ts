import { describe, expect, it } from '@jest/globals';
import { fitPage } from './fit-page';

describe('fitPage', () => {
  it('returns all elements when their number does not exceed the limit', () => {
    expect(fitPage(['a', 'b'], 2)).toEqual({ page: ['a', 'b'], last: undefined });
    expect(fitPage([], 2)).toEqual({ page: [], last: undefined });
  });

  it("ends a page at the limit and also returns the page's last element", () => {
    expect(fitPage(['a', 'b', 'c'], 2)).toEqual({ page: ['a', 'b'], last: 'b' });
  });

  it('ends a page before it becomes too large for one response', () => {
    const long = 'é'.repeat(40);
    expect(fitPage([long, long, long], 3, undefined, 170)).toEqual({
      page: [long, long],
      last: long,
    });
  });

  it('counts only the bytes of the parts of elements that are sent', () => {
    const letters = [
      { text: 'a', hidden: 'x'.repeat(100) },
      { text: 'b', hidden: '' },
    ];
    const { page } = fitPage(letters, 2, ({ text }) => text, 50);
    expect(page).toEqual(letters);
  });

  it('returns at least one element, however large it is', () => {
    const long = 'x'.repeat(100);
    expect(fitPage([long, 'a'], 2, undefined, 50)).toEqual({ page: [long], last: long });
    expect(fitPage([long], 2, undefined, 50)).toEqual({ page: [long], last: undefined });
  });
});
