import { describe, expect, it } from '@jest/globals';
import type { ModelName } from '../catalogue/model-entry';
import { maxChoiceAgeMs, KnownChoices } from './known-choices';

const one = [{ provider: 'p', id: 'one' }];
const two = [{ provider: 'p', id: 'two' }];

/** A replica in front of a store that counts its queries. */
function start() {
  let nowMs = 1_000_000;
  const stored = new Map<string, readonly ModelName[]>();
  const queries: string[] = [];
  const choices = {
    find: async (keys: readonly string[]) => {
      queries.push(`find ${keys.join()}`);
      return new Map([...stored].filter(([key]) => keys.includes(key)));
    },
    listChanged: async (mark: Date) => {
      queries.push('changed');
      return { choices: new Map(stored), mark, providersRevision: stored.size };
    },
    newestMark: async () => new Date(0),
  };
  const known = new KnownChoices({
    choices,
    reloadProviders: async (newest) => void queries.push(`providers ${newest ?? ''}`.trim()),
    now: () => new Date(nowMs),
  });
  return { known, stored, queries, pass: (ms: number) => void (nowMs += ms) };
}

describe('KnownChoices', () => {
  it('reads all unknown keys in one query, and does not read them again', async () => {
    const { known, stored, queries } = start();
    stored.set('a', one);
    const chosen = await known.find(['a', 'b']);
    expect([chosen('a'), chosen('b')]).toEqual([one, []]);
    await known.find(['b', 'a']);
    expect(queries).toEqual(['providers', 'find a,b']);
  });

  it('uses a cached choice until it reaches its maximum age, then reads the changes', async () => {
    const { known, stored, queries, pass } = start();
    await known.find(['a']);
    stored.set('a', two);
    pass(maxChoiceAgeMs - 1);
    expect((await known.find(['a']))('a')).toEqual([]);
    pass(1);
    expect((await known.find(['a']))('a')).toEqual(two);
    expect(queries).toEqual(['providers', 'find a', 'changed', 'providers 1']);
  });

  it('applies its own changes immediately', async () => {
    const { known } = start();
    await known.find(['a']);
    known.set('a', one);
    expect((await known.find(['a']))('a')).toEqual(one);
  });

  it('polls only once for many concurrent callers', async () => {
    const { known, queries, pass } = start();
    await known.find(['a']);
    pass(maxChoiceAgeMs);
    await Promise.all(Array.from({ length: 20 }, () => known.find(['a'])));
    expect(queries).toEqual(['providers', 'find a', 'changed', 'providers 0']);
  });
});
