import { describe, expect, it } from '@jest/globals';
import { offsetsOf, rowAt, windowOf } from './window-of';

const offsets = offsetsOf([10, 20, 30, 40]);

describe('windowOf', () => {
  it('a window contains the visible rows and preserves the total height', () => {
    const shown = windowOf(offsets, 35, 45, 0);
    expect(shown).toEqual({ first: 2, end: 3, heightBefore: 30, heightAfter: 40 });
  });

  it('a window is extended by the margin, but not beyond the ends', () => {
    expect(windowOf(offsets, 35, 45, 1_000)).toEqual({
      first: 0,
      end: 4,
      heightBefore: 0,
      heightAfter: 0,
    });
  });

  it('a window is empty for an empty list', () => {
    expect(windowOf(offsetsOf([]), 0, 100, 10)).toEqual({
      first: 0,
      end: 0,
      heightBefore: 0,
      heightAfter: 0,
    });
  });
});

describe('rowAt', () => {
  it.each([
    [-5, 0],
    [0, 0],
    [9, 0],
    [10, 1],
    [99, 3],
    [500, 3],
  ])('position %d is in row %d', (position, row) => {
    expect(rowAt(offsets, position)).toBe(row);
  });
});
