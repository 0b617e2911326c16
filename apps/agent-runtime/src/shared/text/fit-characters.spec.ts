import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { fitCharacters } from './fit-characters';

describe('fitCharacters', () => {
  it('keeps everything that fits', () => {
    expect(fitCharacters(['a', 'b'], 100)).toEqual(['a', 'b']);
  });

  it('omits an element that is too long, but not those after it', () => {
    expect(fitCharacters(['a', 'x'.repeat(50), 'b'], 20)).toEqual(['a', 'b']);
  });

  it('counts the characters of the elements’ JSON', () => {
    expect(fitCharacters(['""""'], 10)).toEqual([]);
    expect(fitCharacters(['""""'], 11)).toEqual(['""""']);
  });

  it('never returns more characters than allowed', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), fc.nat(200), (texts, max) => {
        const json = JSON.stringify(fitCharacters(texts, max));
        expect(json.length - '[]'.length).toBeLessThanOrEqual(max);
      }),
    );
  });
});
