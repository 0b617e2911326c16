import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { cutText } from './cut-text';

describe('cutText', () => {
  it('keeps a text that fits', () => {
    expect(cutText('hello', 7)).toBe('hello');
    expect(cutText('hello', 6)).toBe('hell');
  });

  it('cuts earlier where JSON escaping needs more characters', () => {
    expect(cutText('\n\n\n', 6)).toBe('\n\n');
  });

  it('never ends in the middle of a character', () => {
    expect(cutText('a🦊', 4)).toBe('a');
  });

  it('cut pieces fit and together make up the whole text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 50 }), (text) => {
        let read = '';
        for (let part = ' '; part !== ''; read += part) {
          part = cutText(text.slice(read.length), 20);
          expect(JSON.stringify(part).length).toBeLessThanOrEqual(20);
        }
        expect(read).toBe(text);
      }),
    );
  });
});
