import { describe, expect, it } from '@jest/globals';
import { formatJson, revealHidden } from './reveal-hidden';

describe('revealHidden', () => {
  it('replaces invisible characters, and those that change the order of others, with escapes', () => {
    expect(revealHidden('a\u202eb\u200bc\u0000d\u{e0041}')).toBe(
      'a\\u202eb\\u200bc\\u0000d\\ue0041',
    );
  });

  it('keeps line breaks, tabs and letters of any language', () => {
    const text = 'one\n\ttwo – Ärger 日本語 🙂';
    expect(revealHidden(text)).toBe(text);
  });
});

describe('formatJson', () => {
  it('formats JSON and leaves everything else unchanged', () => {
    expect(formatJson('{"a":1}')).toBe('{\n  "a": 1\n}');
    expect(formatJson('{"a"')).toBe('{"a"');
  });
});
