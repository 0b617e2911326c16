import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { truncateForJson } from './truncate-for-json';

describe('truncateForJson', () => {
  it('returns text unchanged if its JSON fits, and truncates it otherwise', () => {
    expect(truncateForJson('hello', 7)).toBe('hello');
    expect(truncateForJson('hello', 6)).toBe('hell');
  });

  it('truncates earlier where JSON escaping needs more characters', () => {
    expect(truncateForJson('\n\n\n', 6)).toBe('\n\n');
  });

  it('never ends in the middle of a character', () => {
    expect(truncateForJson('a🦊', 4)).toBe('a');
  });

  it('successive truncated pieces all fit and together make up the whole text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 50 }), (text) => {
        let read = '';
        for (let part = ' '; part !== ''; read += part) {
          part = truncateForJson(text.slice(read.length), 20);
          expect(JSON.stringify(part).length).toBeLessThanOrEqual(20);
        }
        expect(read).toBe(text);
      }),
    );
  });
});
