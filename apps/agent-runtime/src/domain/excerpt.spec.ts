import { describe, expect, it } from '@jest/globals';
import { excerptOf } from './excerpt';

describe('excerptOf', () => {
  it('gives a short text as a whole, on one line', () => {
    expect(excerptOf('Likes\n\n  tea', ['tea'])).toBe('Likes tea');
  });

  it('begins a little before the first of the words that is there', () => {
    const text = `${'many words '.repeat(30)}Green tea, no milk${' and more'.repeat(60)}`;
    const excerpt = excerptOf(text, ['absent', 'milk', 'tea']);
    expect(excerpt).toMatch(/^… (many |words ){8,14}Green tea, no milk and more .* …$/);
    expect(excerpt.length).toBeLessThan(250);
  });

  it('begins at the beginning when none of the words is there', () => {
    expect(excerptOf('🦊'.repeat(300), ['tea'])).toBe(`${'🦊'.repeat(240)} …`);
    expect(excerptOf('', [])).toBe('');
  });
});
