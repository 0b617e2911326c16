import { describe, expect, it } from '@jest/globals';
import { countPairs, pairUp } from './friend-request';

describe('pairUp', () => {
  it.each([2, 5, 6])('every pair of %i people is returned exactly once', (peopleCount) => {
    const people = Array.from({ length: peopleCount }, (_, index) => index);
    const nextPair = pairUp(people);
    const pairs = Array.from({ length: countPairs(peopleCount) }, nextPair);
    const allPairs = people.flatMap((one) => people.slice(one + 1).map((other) => [one, other]));
    expect(pairs.map((pair) => pair.toSorted()).toSorted()).toEqual(allPairs);
    expect(nextPair).toThrow('there are no more pairs of people');
  });
});
