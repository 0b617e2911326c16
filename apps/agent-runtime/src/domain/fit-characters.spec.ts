import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { fitCharacters } from './fit-characters';

describe('what fits into so many characters', () => {
  it('is everything when there is room', () => {
    expect(fitCharacters(['a', 'b'], 100)).toEqual(['a', 'b']);
  });

  it('leaves out what is too long, but not what comes after it', () => {
    expect(fitCharacters(['a', 'x'.repeat(50), 'b'], 20)).toEqual(['a', 'b']);
  });

  it('counts characters as JSON writes them', () => {
    expect(fitCharacters(['""""'], 10)).toEqual([]);
    expect(fitCharacters(['""""'], 11)).toEqual(['""""']);
  });

  it('never makes a list longer than asked for', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), fc.nat(200), (texts, most) => {
        const json = JSON.stringify(fitCharacters(texts, most));
        expect(json.length - '[]'.length).toBeLessThanOrEqual(most);
      }),
    );
  });
});
