import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isForeign, isTrust, lowestTrust, trustLevels } from './trust';

const anyTrust = fc.constantFrom(...trustLevels);

describe('trust levels', () => {
  it('combine to the lowest among them, in whatever order they are given', () => {
    fc.assert(
      fc.property(anyTrust, fc.array(anyTrust), (first, others) => {
        const all = [first, ...others];
        const lowest = [...trustLevels].reverse().find((trust) => all.includes(trust));
        expect(lowestTrust(first, ...others)).toBe(lowest);
      }),
    );
  });

  it("are foreign for guests and outsiders, but not for the user and the user's agents", () => {
    expect(trustLevels.filter(isForeign)).toEqual(['guest', 'outside']);
  });

  it('are recognised by isTrust, which accepts nothing else', () => {
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
