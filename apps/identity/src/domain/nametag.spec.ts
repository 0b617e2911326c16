import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { nametagPattern, parseNametag } from '@daycare/api';
import { drawNametag, nametagTries } from './nametag';
import { firstWords, secondWords } from './nametag-words';

describe('firstWords and secondWords', () => {
  it('nametag words consist of lower-case letters', () => {
    const odd = [...firstWords, ...secondWords].filter((word) => !/^[a-z]{2,12}$/.test(word));
    expect(odd).toEqual([]);
  });

  it('nametag words are enough for millions of short nametags', () => {
    expect(new Set(firstWords).size * new Set(secondWords).size * 100).toBeGreaterThan(4_000_000);
  });

  it('nametag words are unique', () => {
    expect(new Set(firstWords).size).toBe(firstWords.length);
    expect(new Set(secondWords).size).toBe(secondWords.length);
  });
});

describe('drawNametag', () => {
  const seeded = (numbers: readonly number[]) => {
    let index = 0;
    return (below: number) => (numbers[index++ % numbers.length] ?? 0) % below;
  };

  it('draws only nametags that consist of words and digits and that parseNametag accepts', () => {
    fc.assert(
      fc.property(fc.nat(20), fc.array(fc.nat(), { minLength: 3 }), (tryNumber, numbers) => {
        const nametag = drawNametag(tryNumber, seeded(numbers));
        expect(nametag).toMatch(nametagPattern);
        expect(parseNametag(nametag)).toBe(nametag);
      }),
    );
  });

  it('draws from a larger range of numbers in later attempts', () => {
    const limits = Array.from({ length: nametagTries }, (_, tryNumber) => {
      const asked: number[] = [];
      drawNametag(tryNumber, (below) => (asked.push(below), 0));
      return asked[2];
    });
    expect(limits).toEqual([100, 100, 1e3, 1e4, 1e5, 1e6, 1e8, 1e10]);
  });
});
