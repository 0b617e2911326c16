import { existsSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expandHome } from '../../client/files/expand-home';

/**
 * Returns the paths in a line that consists of nothing but existing files, as a terminal inserts them when files are
 * dropped on it: paths or file URLs, quoted or with escaped spaces. Returns none for any other line.
 */
export function droppedPaths(line: string, isFile = isExistingFile): readonly string[] {
  const words = line.trim().match(/'[^']*'|"[^"]*"|(?:\\.|[^\s\\])+/g) ?? [];
  const paths = words.map(toPath);
  return paths.length > 0 && paths.every((path) => path !== undefined && isFile(path))
    ? (paths as string[])
    : [];
}

function toPath(word: string): string | undefined {
  const bare = /^(['"]).*\1$/.test(word) ? word.slice(1, -1) : word.replace(/\\(.)/g, '$1');
  if (bare.startsWith('file://')) return URL.canParse(bare) ? fileURLToPath(bare) : undefined;
  return /^(?:\/|~\/|\.{1,2}\/)/.test(bare) ? expandHome(bare) : undefined;
}

function isExistingFile(path: string): boolean {
  return existsSync(path) && statSync(path).isFile();
}
