import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { countCharacters, splitDelta, maxPieceLength } from './split-delta';

describe('splitDelta', () => {
  it('returns no pieces for empty text', () => {
    expect(splitDelta('', 7)).toEqual([]);
  });

  it('counts characters, not UTF-16 code units', () => {
    expect(splitDelta('a😀b', 3)).toEqual([{ text: 'a😀b', position: 3 }]);
    expect(countCharacters('a😀b')).toBe(3);
  });

  it('splits long text into short pieces, each with its position, without splitting a character', () => {
    const long = fc.tuple(fc.string({ unit: 'grapheme' }), fc.nat(3));
    fc.assert(
      fc.property(long, fc.nat(), ([unit, odd], position) => {
        const text = 'x'.repeat(odd) + `${unit}😀`.repeat(20_000);
        const pieces = splitDelta(text, position);
        expect(pieces.map((piece) => piece.text).join('')).toBe(text);
        let at = position;
        for (const piece of pieces) {
          expect(piece.position).toBe(at);
          expect(piece.text.length).toBeLessThanOrEqual(maxPieceLength);
          expect(piece.text).not.toMatch(/[\uD800-\uDBFF]$/);
          at += countCharacters(piece.text);
        }
      }),
      { numRuns: 20 },
    );
  });
});
