import { expect, it } from '@jest/globals';
import { divideBudget } from './divide-budget';

it.each([
  [[10, 20], 100, [10, 20]],
  [[500, 10, 500], 110, [50, 10, 50]],
  [[100, 100], 0, [0, 0]],
  [[], 100, []],
])(
  'for the demands %p, a budget of %p is divided into the shares %p',
  (demands, budget, shares) => {
    expect(divideBudget(demands, budget)).toEqual(shares);
  },
);
