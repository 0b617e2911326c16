import { describe, expect, it } from '@jest/globals';
import { readListing } from './read-listing';

describe('readListing', () => {
  it('parses folders and files with spaces in their names, and skips the folder itself and the line about omitted entries', () => {
    const lines = [
      'home/',
      'home/my notes.txt 1200 bytes changed 2026-11-17T10:00:00.000Z',
      'home/recipes/ changed 2026-11-17T10:00:00.000Z',
      '… and 3 more',
    ];
    const changedAt = new Date('2026-11-17T10:00:00.000Z');
    expect(readListing(lines.join('\n'), 'home')).toEqual([
      { path: 'home/my notes.txt', isFolder: false, size: 1200, changedAt },
      { path: 'home/recipes/', isFolder: true, size: undefined, changedAt },
    ]);
  });
});
