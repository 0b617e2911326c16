/** The top-level folders of a user's tree. */
export const homeFolders = ['home', 'skills', 'apps', 'memory'] as const;

export type HomePath = { readonly segments: readonly string[] } | { readonly problem: string };

const maxPathLength = 1_024;
const maxNameBytes = 255;
const maxSegments = 32;
// Backslashes are separators on other systems; the other characters are invisible, or change how the rest is shown.
const forbidden = /[\\\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

/** Reports whether an id is safe to use as a directory name. */
export function isUserId(value: string): boolean {
  return /^[a-z0-9]{2,64}$/.test(value);
}

/** Reports whether a name on disk can be part of a path unchanged. */
export function isEntryName(name: string): boolean {
  return !forbidden.test(name) && problemOf(name) === undefined && name.normalize('NFC') === name;
}

/**
 * Parses a path below a user's directory, and converts its names to Unicode's composed form (NFC); explains what is
 * wrong with an invalid path.
 */
export function parseHomePath(path: string): HomePath {
  if (path.length > maxPathLength) return { problem: `is longer than ${maxPathLength} characters` };
  if (forbidden.test(path))
    return { problem: 'has a control, invisible or otherwise forbidden character' };
  if (path.startsWith('/'))
    return { problem: 'must not begin with "/": write it like home/notes.txt' };
  const segments = path.normalize('NFC').split('/');
  if (segments.length > maxSegments) return { problem: `is more than ${maxSegments} names deep` };
  const problem = segments.map(problemOf).find((found) => found !== undefined);
  return problem === undefined ? checkTopFolder(segments) : { problem };
}

function problemOf(name: string): string | undefined {
  if (name === '') return 'has an empty name: write it like home/notes.txt';
  if (name === '.' || name === '..') return `must not contain the name ${name}`;
  return new TextEncoder().encode(name).length > maxNameBytes
    ? `has a name longer than ${maxNameBytes} bytes`
    : undefined;
}

/** The problem does not mention `memory`, because agents access it with the memory tools, not by path. */
function checkTopFolder(segments: readonly string[]): HomePath {
  return homeFolders.some((folder) => folder === segments[0])
    ? { segments }
    : { problem: 'must begin with home/, skills/ or apps/' };
}

/**
 * Resolves a link in a folder whose path contains no links. Returns undefined when the link is absolute, leads outside
 * the user's tree or does not yield a valid path. `..` is accepted only at the beginning: further on, its meaning would
 * depend on whether the names before it are links.
 */
export function followLink(
  folder: readonly string[],
  target: string,
): readonly string[] | undefined {
  const [, ups = '', rest = ''] = /^((?:\.\.?\/+)*)(.*)$/s.exec(`${target}/`) ?? [];
  const levelsUp = ups.split('/').filter((name) => name === '..').length;
  if (levelsUp > folder.length) return undefined;
  const base = folder.slice(0, folder.length - levelsUp);
  const names = rest.replace(/\/+$/, '');
  const parsed = parseHomePath([...base, ...(names === '' ? [] : [names])].join('/'));
  return 'segments' in parsed && !target.startsWith('/') ? parsed.segments : undefined;
}
