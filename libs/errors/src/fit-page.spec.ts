import { describe, expect, it } from '@jest/globals';
import { fitPage } from './fit-page';

describe('a page', () => {
  it('has all there is when that is no more than was asked for', () => {
    expect(fitPage(['a', 'b'], 2)).toEqual({ page: ['a', 'b'], last: undefined });
    expect(fitPage([], 2)).toEqual({ page: [], last: undefined });
  });

  it('ends at the limit and says after which element to go on', () => {
    expect(fitPage(['a', 'b', 'c'], 2)).toEqual({ page: ['a', 'b'], last: 'b' });
  });

  it('ends before it grows too large for one answer', () => {
    const long = 'é'.repeat(40);
    expect(fitPage([long, long, long], 3, undefined, 170)).toEqual({
      page: [long, long],
      last: long,
    });
  });

  it('does not count what is not shown', () => {
    const letters = [
      { text: 'a', hidden: 'x'.repeat(100) },
      { text: 'b', hidden: '' },
    ];
    const { page } = fitPage(letters, 2, ({ text }) => text, 50);
    expect(page).toEqual(letters);
  });

  it('has at least one element however large that is', () => {
    const long = 'x'.repeat(100);
    expect(fitPage([long, 'a'], 2, undefined, 50)).toEqual({ page: [long], last: long });
    expect(fitPage([long], 2, undefined, 50)).toEqual({ page: [long], last: undefined });
  });
});
