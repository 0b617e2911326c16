import { expect, it } from '@jest/globals';
import { divideRoom } from './divide-room';

it.each([
  [[10, 20], 100, [10, 20]],
  [[500, 10, 500], 110, [50, 10, 50]],
  [[100, 100], 0, [0, 0]],
  [[], 100, []],
])('for the demands %p divides a room of %p into %p', (demands, room, shares) => {
  expect(divideRoom(demands, room)).toEqual(shares);
});
