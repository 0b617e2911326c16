import { expect, it } from '@jest/globals';
import { BudgetPeriod } from '@daycare/contracts/agent-runtime';
import { readWord, requireWord } from './read-word';

const { DAY, UNSPECIFIED, UNRECOGNIZED } = BudgetPeriod;
const refusal = expect.objectContaining({
  code: 'INVALID_ARGUMENT',
  message: expect.stringMatching(/^The period must be one of .*day/),
});

it('readWord returns the word for an enum value and nothing for an unspecified one', () => {
  expect(readWord(BudgetPeriod, DAY, 'period')).toBe('day');
  expect(readWord(BudgetPeriod, UNSPECIFIED, 'period')).toBeUndefined();
});

it('readWord refuses a value that this version does not know, and the error lists the known words', () => {
  expect(() => readWord(BudgetPeriod, UNRECOGNIZED, 'period')).toThrow(refusal);
});

it('requireWord refuses unspecified and unknown values', () => {
  expect(requireWord(BudgetPeriod, DAY, 'period')).toBe('day');
  for (const value of [UNSPECIFIED, UNRECOGNIZED])
    expect(() => requireWord(BudgetPeriod, value, 'period')).toThrow(refusal);
});
