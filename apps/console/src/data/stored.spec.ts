import { beforeEach, describe, expect, it } from '@jest/globals';
import { browserWindow, stored } from '../testing/fake-browser';
import { createStoredList, forgetStored, setStoredOwner } from './stored';

const list = createStoredList<string>('notes', {
  max: 3,
  merge: (mine, others) => [...new Set([...others, ...mine])],
  revive: (entry) => entry.toUpperCase(),
});

/** Another window of the same browser stores something, or deletes it. */
function storeElsewhere(key: string, entries: readonly string[] | undefined): void {
  const newValue = entries ? JSON.stringify(entries) : null;
  if (newValue === null) stored.delete(key);
  else stored.set(key, newValue);
  browserWindow.dispatchEvent(Object.assign(new Event('storage'), { key, newValue }));
}

describe('a stored list', () => {
  beforeEach(() => {
    forgetStored();
    list.replace([]);
  });

  it('stores nothing before it is known whose it is', () => {
    list.replace(['a']);
    expect([list.entries.value, stored.size]).toEqual([['a'], 0]);
  });

  it('is stored for its owner, at most as many as fit', () => {
    setStoredOwner('u1');
    list.replace(['a', 'b', 'c', 'd']);
    expect(stored.get('daycare.u1.notes')).toBe('["b","c","d"]');
  });

  it('reads what was stored for its owner, and deletes what another person has left', () => {
    stored.set('daycare.u1.notes', '["secret"]').set('daycare.u2.notes', '["mine"]');
    setStoredOwner('u2');
    expect(list.entries.value).toEqual(['MINE']);
    expect([...stored.keys()]).toEqual(['daycare.u2.notes']);
  });

  it.each(['no JSON', '{}'])('is empty when %s was stored', (text) => {
    stored.set('daycare.u1.notes', text);
    setStoredOwner('u1');
    expect(list.entries.value).toEqual([]);
  });

  it('takes what another window stores, and forgets it when that signs out', () => {
    setStoredOwner('u1');
    list.replace(['a']);
    storeElsewhere('daycare.u1.notes', ['b']);
    expect(list.entries.value).toEqual(['b', 'a']);
    storeElsewhere('daycare.u1.notes', undefined);
    expect(list.entries.value).toEqual([]);
  });

  it('is deleted with the session, and stored no more', () => {
    stored.set('other', 'x');
    setStoredOwner('u1');
    list.replace(['a']);
    forgetStored();
    list.replace(['b']);
    expect([...stored.keys()]).toEqual(['other']);
    stored.delete('other');
  });
});
