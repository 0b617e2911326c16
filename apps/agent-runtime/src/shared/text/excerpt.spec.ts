import { describe, expect, it } from '@jest/globals';
import { excerptOf } from './excerpt';

describe('excerptOf', () => {
  it('returns short text in full, on one line', () => {
    expect(excerptOf('Likes\n\n  tea', ['tea'])).toBe('Likes tea');
  });

  it('starts a little before the earliest match of any word', () => {
    const text = `${'many words '.repeat(30)}Green tea, no milk${' and more'.repeat(60)}`;
    const excerpt = excerptOf(text, ['absent', 'milk', 'tea']);
    expect(excerpt).toMatch(/^… (many |words ){8,14}Green tea, no milk and more .* …$/);
    expect(excerpt.length).toBeLessThan(250);
  });

  it('starts at the beginning when no word matches', () => {
    expect(excerptOf('🦊'.repeat(300), ['tea'])).toBe(`${'🦊'.repeat(240)} …`);
    expect(excerptOf('', [])).toBe('');
  });
});
