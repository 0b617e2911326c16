import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { fitCharacters } from './fit-characters';

describe('fitCharacters', () => {
  it('keeps everything when there is room', () => {
    expect(fitCharacters(['a', 'b'], 100)).toEqual(['a', 'b']);
  });

  it('omits an element that is too long, but not those after it', () => {
    expect(fitCharacters(['a', 'x'.repeat(50), 'b'], 20)).toEqual(['a', 'b']);
  });

  it('counts characters as JSON writes them', () => {
    expect(fitCharacters(['""""'], 10)).toEqual([]);
    expect(fitCharacters(['""""'], 11)).toEqual(['""""']);
  });

  it('never returns more characters than allowed', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), fc.nat(200), (texts, most) => {
        const json = JSON.stringify(fitCharacters(texts, most));
        expect(json.length - '[]'.length).toBeLessThanOrEqual(most);
      }),
    );
  });
});
