import { homedir } from 'node:os';
import { join } from 'node:path';

/** Expands `~` in a path that was typed where no shell expands it. */
export function expandHome(path: string, home = homedir()): string {
  return path === '~' || path.startsWith('~/') ? join(home, path.slice(1)) : path;
}
