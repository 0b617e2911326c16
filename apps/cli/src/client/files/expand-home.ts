import { homedir } from 'node:os';
import { join } from 'node:path';

/** A path as a person types it: no shell has expanded `~`. */
export function expandHome(path: string, home = homedir()): string {
  return path === '~' || path.startsWith('~/') ? join(home, path.slice(1)) : path;
}
