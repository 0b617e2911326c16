import { homedir } from 'node:os';
import { join } from 'node:path';

/** Expands `~` in a path that a person typed where no shell does so. */
export function expandHome(path: string, home = homedir()): string {
  return path === '~' || path.startsWith('~/') ? join(home, path.slice(1)) : path;
}
