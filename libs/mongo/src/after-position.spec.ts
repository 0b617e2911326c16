import { expect, it } from '@jest/globals';
import { afterPosition } from './after-position';

it('afterPosition selects later values of each field among equal values of the fields before it', () => {
  const position = { userId: 'u1', createdAt: 5, _id: 'x', other: true };
  expect(afterPosition({ userId: 1, createdAt: -1, _id: -1 }, position)).toEqual({
    $or: [
      { userId: { $gt: 'u1' } },
      { userId: 'u1', createdAt: { $lt: 5 } },
      { userId: 'u1', createdAt: 5, _id: { $lt: 'x' } },
    ],
  });
});
