import { describe, expect, it } from '@jest/globals';
import { pageOf } from './page-of';

describe('pageOf', () => {
  it('returns the entries that fit, and the offset at which to continue', () => {
    expect(pageOf(['a', 'b'], 0)).toEqual({ entries: ['a', 'b'] });
    expect(pageOf(['a', 'b'], 2)).toEqual({ entries: [] });
    const long = 'x'.repeat(4_000);
    expect(pageOf([long, long, 'c'], 0)).toEqual({ entries: [long], nextOffset: 1 });
    expect(pageOf([long, long, 'c'], 1)).toEqual({ entries: [long, 'c'] });
  });

  it('returns a single entry even if it is too long, so that reading makes progress', () => {
    const huge = 'x'.repeat(9_000);
    expect(pageOf([huge, 'b'], 0)).toEqual({ entries: [huge], nextOffset: 1 });
  });
});
