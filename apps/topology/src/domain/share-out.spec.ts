import { expect, it } from '@jest/globals';
import { shareOut } from './share-out';

it.each([
  [[10, 20], 100, [10, 20]],
  [[500, 10, 500], 110, [50, 10, 50]],
  [[100, 100], 0, [0, 0]],
  [[], 100, []],
])('divides among %p with room for %p as %p', (wishes, room, shares) => {
  expect(shareOut(wishes, room)).toEqual(shares);
});
