import { describe, expect, it } from '@jest/globals';
import { truncateText } from './truncate-text';

describe('truncateText', () => {
  it.each([
    ['short', 5, 'short'],
    ['longer', 5, 'long…'],
    ['日本語', 6, '日本語'],
    ['日本語', 5, '日本…'],
    ['日本語', 4, '日…'],
    ['👩‍👩‍👧👩‍👩‍👧', 3, '👩‍👩‍👧…'],
  ])('fits %j into %d columns as %j', (text, maxWidth, expected) => {
    expect(truncateText(text, maxWidth)).toBe(expected);
  });
});
