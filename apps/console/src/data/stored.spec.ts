import { beforeEach, describe, expect, it } from '@jest/globals';
import { browserWindow, localStorageItems } from '../testing/fake-browser';
import { createStoredList, deleteStoredData, setStoredOwner } from './stored';

const list = createStoredList<string>('notes', {
  max: 3,
  merge: (mine, others) => [...new Set([...others, ...mine])],
  revive: (entry) => entry.toUpperCase(),
});

/** Simulates another window of the same browser storing a list, or deleting it. */
function storeElsewhere(key: string, entries: readonly string[] | undefined): void {
  const newValue = entries ? JSON.stringify(entries) : null;
  if (newValue === null) localStorageItems.delete(key);
  else localStorageItems.set(key, newValue);
  browserWindow.dispatchEvent(Object.assign(new Event('storage'), { key, newValue }));
}

describe('a stored list', () => {
  beforeEach(() => {
    deleteStoredData();
    list.replace([]);
  });

  it('stores nothing before its owner is known', () => {
    list.replace(['a']);
    expect([list.entries.value, localStorageItems.size]).toEqual([['a'], 0]);
  });

  it('a list is stored for its owner, up to the maximum number of entries', () => {
    setStoredOwner('u1');
    list.replace(['a', 'b', 'c', 'd']);
    expect(localStorageItems.get('daycare.u1.notes')).toBe('["b","c","d"]');
  });

  it('reads what was stored for its owner, and deletes what was stored for another person', () => {
    localStorageItems.set('daycare.u1.notes', '["secret"]').set('daycare.u2.notes', '["mine"]');
    setStoredOwner('u2');
    expect(list.entries.value).toEqual(['MINE']);
    expect([...localStorageItems.keys()]).toEqual(['daycare.u2.notes']);
  });

  it.each(['no JSON', '{}'])('a list is empty when the stored text is %j', (text) => {
    localStorageItems.set('daycare.u1.notes', text);
    setStoredOwner('u1');
    expect(list.entries.value).toEqual([]);
  });

  it('a list merges in entries that another window stores, and is cleared when that window deletes the list', () => {
    setStoredOwner('u1');
    list.replace(['a']);
    storeElsewhere('daycare.u1.notes', ['b']);
    expect(list.entries.value).toEqual(['b', 'a']);
    storeElsewhere('daycare.u1.notes', undefined);
    expect(list.entries.value).toEqual([]);
  });

  it('a list is deleted when the session ends, and is not stored afterwards', () => {
    localStorageItems.set('other', 'x');
    setStoredOwner('u1');
    list.replace(['a']);
    deleteStoredData();
    list.replace(['b']);
    expect([...localStorageItems.keys()]).toEqual(['other']);
    localStorageItems.delete('other');
  });
});
