import type { Stats } from 'node:fs';
import type { HomeEntry } from '../domain/home-entry';
import { isEntryName } from '../domain/home-path';
import { entriesOf, type Entry } from './entries';
import type { Pin } from './pin';

const maxEntries = 10_000;

/**
 * Lists a folder's entries, sorted by name; returns undefined when the pin is not a folder. Returns at most 10,000
 * entries, chosen arbitrarily, and omits entries that no path can name.
 */
export async function listFolder(folder: Pin): Promise<readonly HomeEntry[] | undefined> {
  if (!folder.isFolder) return undefined;
  const found: HomeEntry[] = [];
  for await (const entry of entriesOf(folder)) {
    if (isEntryName(entry.name.toString('utf8'))) found.push(toHomeEntry(entry));
    if (found.length === maxEntries) break;
  }
  return found.sort((one, other) => (one.name < other.name ? -1 : 1));
}

function toHomeEntry({ name, stats }: Entry): HomeEntry {
  const size = stats.isFile() ? stats.size : 0;
  return {
    name: name.toString('utf8'),
    kind: kindOf(stats),
    size,
    modifiedAt: new Date(stats.mtimeMs),
  };
}

function kindOf(stats: Stats): HomeEntry['kind'] {
  if (stats.isFile()) return 'file';
  if (stats.isDirectory()) return 'folder';
  return stats.isSymbolicLink() ? 'link' : 'other';
}
