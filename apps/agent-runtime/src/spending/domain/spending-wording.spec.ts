import { describe, expect, it } from '@jest/globals';
import { nothing, type Budget } from './budget';
import { budgetReachedNote, budgetReachedNotice, toMoney } from './spending-wording';

const renewsAt = new Date('2026-12-01T00:00:00Z');
const budget: Budget = {
  id: 'owner:owner:month',
  setBy: 'owner',
  scope: { kind: 'owner' },
  period: 'month',
  maxTokens: 1_500_000,
  maxMicros: 2_500_000,
  spentIn: '2026-11',
  spent: nothing,
};

describe('budget wording for people', () => {
  it.each([
    [0, 'USD 0.00'],
    [1_500_000, 'USD 1.50'],
    [10, 'USD 0.00001'],
    [123_456_789, 'USD 123.456789'],
    [-1_000_000, 'USD -1.00'],
  ])('%d millionths of the currency unit are shown as %s', (micros, text) =>
    expect(toMoney(micros, 'USD')).toBe(text),
  );

  it('a note says which budget is used up and when it is renewed', () => {
    expect(budgetReachedNote(budget, renewsAt, 'USD')).toBe(
      'I stopped: the budget of 1,500,000 tokens and USD 2.50 per month is used up. It is renewed at 2026-12-01 00:00 UTC.',
    );
  });

  it('a notice says who set the budget and who has used it up', () => {
    const guests: Budget = {
      ...budget,
      setBy: 'operator',
      scope: { kind: 'guests', userId: 'u1' },
    };
    const text = budgetReachedNotice(guests, renewsAt, 'USD');
    expect(text).toMatch(
      /^The operator's budget of .* used up by guests of the subuser u1, or nearly so\./,
    );
  });
});
