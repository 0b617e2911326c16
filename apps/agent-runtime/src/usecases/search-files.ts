import { AppError, FieldChecks } from '@daycare/errors';
import { cutText } from '../domain/cut-text';
import { parseHomePath } from '../domain/home-path';
import { decodeText } from '../domain/text-type';
import type { HomeEntry, UserHomes } from '../home/user-homes';
import { fileFolders } from './check-file-path';

export interface FileMatch {
  readonly path: string;
  /** The first line is 1. */
  readonly line: number;
  readonly text: string;
}

export interface FileMatches {
  readonly matches: readonly FileMatch[];
  /** Whether all was looked through; large files and those that are not text never are. */
  readonly isComplete: boolean;
}

export interface FileSearch {
  readonly userId: string;
  readonly query: string;
  /** A folder or a file, from `checkFilePath`; everything when it is left out. */
  readonly path: string | undefined;
  readonly signal: AbortSignal;
}

const mostWords = 10;
const longestQuery = 200;
const mostEntries = 5_000;
const mostBytes = 32 * 1024 * 1024;
const largestFile = 1024 * 1024;
const mostMatches = 50;
const longestLine = 300;

/** Finds lines that have all the words in them, in whatever case. Links are not followed. */
export function makeSearchFiles({ homes }: { readonly homes: Pick<UserHomes, 'list' | 'read'> }) {
  return async ({ userId, query, path, signal }: FileSearch): Promise<FileMatches> => {
    const words = checkQuery(query);
    const matches: FileMatch[] = [];
    let [entries, bytes] = [0, 0];
    const found = path === undefined ? [...fileFolders] : [path];
    while (found.length > 0 && matches.length <= mostMatches) {
      signal.throwIfAborted();
      if (entries++ >= mostEntries || bytes > mostBytes) return { matches, isComplete: false };
      const at = found.shift() ?? '';
      const inside = await homes.list(userId, at, plainOnly);
      found.push(...(inside ?? []).filter(isSearched).flatMap(({ name }) => pathIn(at, name)));
      const text = inside ? '' : await readText(homes, userId, at);
      bytes += text.length;
      // One more than is shown tells that there are more.
      const lines = findLines(text, words, mostMatches + 1 - matches.length);
      matches.push(...lines.map((line) => ({ path: at, ...line })));
    }
    return {
      matches: matches.slice(0, mostMatches),
      isComplete: matches.length <= mostMatches,
    };
  };
}

const plainOnly = { plainOnly: true };

function checkQuery(query: string): readonly string[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  new FieldChecks()
    .line(query, 'query', { min: 1, max: longestQuery })
    .count(words.length, 'query', { min: 1, max: mostWords })
    .done();
  return words;
}

function isSearched({ kind, size }: HomeEntry): boolean {
  return kind === 'folder' || (kind === 'file' && size <= largestFile);
}

/** None when it is too deep to be named. */
function pathIn(folder: string, name: string): string[] {
  const path = `${folder}/${name}`;
  return 'segments' in parseHomePath(path) ? [path] : [];
}

/** Empty for a file that is gone, has grown too large or is not text. */
async function readText(
  homes: Pick<UserHomes, 'read'>,
  userId: string,
  path: string,
): Promise<string> {
  const content = await homes.read(userId, path, largestFile, plainOnly).catch(unlessTooLarge);
  return content ? (decodeText(content, true) ?? '') : '';
}

function findLines(
  text: string,
  words: readonly string[],
  most: number,
): readonly Omit<FileMatch, 'path'>[] {
  const found: Omit<FileMatch, 'path'>[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (found.length === most) break;
    const lower = line.toLowerCase();
    if (words.every((word) => lower.includes(word)))
      found.push({ line: index + 1, text: cutText(line.trim(), longestLine) });
  }
  return found;
}

function unlessTooLarge(error: unknown): undefined {
  if (!(error instanceof AppError) || error.code !== 'FAILED_PRECONDITION') throw error;
}
