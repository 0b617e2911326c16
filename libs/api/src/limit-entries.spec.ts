import { expect, it } from '@jest/globals';
import { LRUCache } from 'lru-cache';
import { limitEntries } from './limit-entries';

it('a cache built with limitEntries evicts the least recently used entry when it is full', () => {
  const cache = new LRUCache<string, number>(limitEntries(2));
  cache.set('a', 1).set('b', 2);
  cache.get('a');
  cache.set('c', 3);
  expect([...cache.entries()]).toEqual([
    ['c', 3],
    ['a', 1],
  ]);
});

it('a cache built with limitEntries counts a replaced entry only once', () => {
  const cache = new LRUCache<string, number>(limitEntries(2));
  cache.set('a', 1).set('b', 2).set('b', 3).set('b', 4);
  expect(cache.get('a')).toBe(1);
  expect(cache.size).toBe(2);
});
