import { expect, it } from '@jest/globals';
import { chooseSlot } from './choose-slot';

it('chooseSlot returns only free slots below the limit, and none when all are taken', () => {
  const chosen = new Set(
    Array.from({ length: 100 }, (_, index) => chooseSlot([0, 2, undefined, 7], 4, `row${index}`)),
  );
  expect(chosen).toEqual(new Set([1, 3]));
  expect(chooseSlot([0, 1, 2], 3, 'row')).toBeUndefined();
});
