import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isForeign, isTrust, lowestTrust, trustLevels } from './trust';

const anyTrust = fc.constantFrom(...trustLevels);

describe('trust', () => {
  it('a combination of sources has the lowest trust among them, whatever their order', () => {
    fc.assert(
      fc.property(anyTrust, fc.array(anyTrust), (first, others) => {
        const all = [first, ...others];
        const lowest = [...trustLevels].reverse().find((trust) => all.includes(trust));
        expect(lowestTrust(first, ...others)).toBe(lowest);
      }),
    );
  });

  it('text of guests and outsiders is foreign, but that of the user and its agents is not', () => {
    expect(trustLevels.filter(isForeign)).toEqual(['guest', 'outside']);
  });

  it('an unknown word is not a trust level', () => {
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
