import { describe, expect, it } from '@jest/globals';
import stringWidth from 'string-width';
import { textWidth } from './text-width';

describe('textWidth', () => {
  it('agrees with string-width on every character below U+2600', () => {
    const characters = Array.from({ length: 0x2600 }, (_, code) => String.fromCharCode(code));
    const differing = characters.filter((text) => textWidth(text) !== stringWidth(text));
    expect(differing).toEqual([]);
  });

  it.each([
    ['日本語', 6],
    ['👩‍👩‍👧 fox', 6],
    ['cafe\u0301', 4],
    ['Zoë – “tea”…', 12],
  ])('measures "%s" as %d columns wide', (text, width) => {
    expect(textWidth(text)).toBe(width);
  });
});
