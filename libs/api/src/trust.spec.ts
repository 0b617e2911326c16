import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isForeign, isTrust, lowestTrust, trustLevels } from './trust';

const anyTrust = fc.constantFrom(...trustLevels);

describe('trust', () => {
  it('a combination of sources has the lowest trust among them, in whatever order they are given', () => {
    fc.assert(
      fc.property(anyTrust, fc.array(anyTrust), (first, others) => {
        const all = [first, ...others];
        const lowest = [...trustLevels].reverse().find((trust) => all.includes(trust));
        expect(lowestTrust(first, ...others)).toBe(lowest);
      }),
    );
  });

  it("text from guests and outsiders is foreign, but text from the user and the user's agents is not", () => {
    expect(trustLevels.filter(isForeign)).toEqual(['guest', 'outside']);
  });

  it('isTrust accepts only the known trust levels', () => {
    expect(['person', 'own', 'guest', 'outside', '', 'admin', 1, undefined].map(isTrust)).toEqual([
      true,
      true,
      true,
      true,
      false,
      false,
      false,
      false,
    ]);
  });
});
