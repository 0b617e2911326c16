import { expect, it } from '@jest/globals';
import { unusedBudget } from './budgets';
import { withCounts } from './place-rows';

const tails = {
  lanes: new Map(),
  budgets: new Map([['known', { ...unusedBudget('known'), waitingAtMost: 150 }]]),
};

const boundOf = (key: string, counted: number) =>
  withCounts(tails, new Map([[key, counted]])).budgets.get(key)?.waitingAtMost;

it('a count can lower the bound on waiting messages but never raises it', () => {
  expect(boundOf('known', 40)).toBe(40);
  // Messages in transit were counted twice.
  expect(boundOf('known', 210)).toBe(150);
  expect(boundOf('new', 7)).toBe(7);
});
