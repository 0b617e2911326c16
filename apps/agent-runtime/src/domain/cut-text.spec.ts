import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { cutText } from './cut-text';

describe('the beginning of a text', () => {
  it('is all of it when it fits', () => {
    expect(cutText('hello', 7)).toBe('hello');
    expect(cutText('hello', 6)).toBe('hell');
  });

  it('is shorter where JSON needs more signs than the text has', () => {
    expect(cutText('\n\n\n', 6)).toBe('\n\n');
  });

  it('does not end in the middle of a character', () => {
    expect(cutText('a🦊', 4)).toBe('a');
  });

  it('fits, and goes on where it ended until nothing is left', () => {
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
