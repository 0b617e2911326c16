import { AppError, FieldChecks, type Trust } from '@daycare/api';
import { truncateForJson } from '../../shared/text/truncate-for-json';
import { hashOf } from '../disk/content-hash';
import { parseHomePath } from '../domain/home-path';
import type { ReadText } from '../domain/provenance';
import { decodeText } from '../../files';
import type { HomeEntry, UserHomes } from './user-homes';
import { fileFolders } from './check-file-path';

export interface FileMatch {
  readonly path: string;
  /** Starts at 1. */
  readonly line: number;
  readonly text: string;
}

export interface FileMatches {
  readonly matches: readonly FileMatch[];
  /** The lowest trust among the authors of matching files; undefined when all are the user's own. */
  readonly writtenBy: Trust | undefined;
  /**
   * Whether the search ran to its end, so that no match is missing; large files and binary files are never
   * searched.
   */
  readonly isComplete: boolean;
}

export interface FileSearch {
  readonly userId: string;
  readonly query: string;
  /** A folder or a file, from `checkFilePath`; everything when omitted. */
  readonly path: string | undefined;
  readonly signal: AbortSignal;
}

const maxWords = 10;
const maxQueryLength = 200;
const maxEntries = 5_000;
const maxBytes = 32 * 1024 * 1024;
const maxFileBytes = 1024 * 1024;
const maxMatches = 50;
const maxLineLength = 300;

/** Finds lines that contain all words in the query, ignoring case. Links are not followed. */
export type SearchFiles = (search: FileSearch) => Promise<FileMatches>;

export function makeSearchFiles({
  homes,
}: {
  readonly homes: Pick<UserHomes, 'list' | 'provenance' | 'read'>;
}): SearchFiles {
  return async ({ userId, query, path, signal }) => {
    const words = checkQuery(query);
    const matches: FileMatch[] = [];
    const texts: ReadText[] = [];
    const finish = async (isComplete: boolean): Promise<FileMatches> => ({
      matches: matches.slice(0, maxMatches),
      writtenBy: await homes.provenance.authorOf(userId, texts),
      isComplete,
    });
    let [entries, bytes] = [0, 0];
    const queue = path === undefined ? [...fileFolders] : [path];
    while (queue.length > 0 && matches.length <= maxMatches) {
      signal.throwIfAborted();
      if (entries++ >= maxEntries || bytes > maxBytes) return finish(false);
      const nextPath = queue.shift() ?? '';
      const listed = await homes.list(userId, nextPath, plainOnly);
      queue.push(
        ...(listed ?? []).filter(isSearched).flatMap(({ name }) => pathIn(nextPath, name)),
      );
      const { text, content } = listed ? noText : await readText(homes, userId, nextPath);
      bytes += text.length;
      // Searches for one line more than is returned, to find out whether there are more.
      const lines = findLines(text, words, maxMatches + 1 - matches.length);
      if (lines.length > 0) texts.push({ path: nextPath, sha256: hashOf(content) });
      matches.push(...lines.map((line) => ({ path: nextPath, ...line })));
    }
    return finish(matches.length <= maxMatches);
  };
}

interface FoundText {
  readonly text: string;
  readonly content: Uint8Array;
}

const plainOnly = { plainOnly: true };
const noText: FoundText = { text: '', content: Buffer.of() };

function checkQuery(query: string): readonly string[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  new FieldChecks()
    .line(query, 'query', { min: 1, max: maxQueryLength })
    .count(words.length, 'query', { min: 1, max: maxWords })
    .done();
  return words;
}

function isSearched({ kind, size }: HomeEntry): boolean {
  return kind === 'folder' || (kind === 'file' && size <= maxFileBytes);
}

/**
 * Returns the path of an entry; empty when no valid path can name the entry, for example because the entry is nested
 * too deeply.
 */
function pathIn(folder: string, name: string): string[] {
  const path = `${folder}/${name}`;
  return 'segments' in parseHomePath(path) ? [path] : [];
}

/** Returns empty text for a file that no longer exists, has grown too large or is not text. */
async function readText(
  homes: Pick<UserHomes, 'read'>,
  userId: string,
  path: string,
): Promise<FoundText> {
  const content = await homes.read(userId, path, maxFileBytes, plainOnly).catch(unlessTooLarge);
  return content ? { text: decodeText(content, true) ?? '', content } : noText;
}

function findLines(
  text: string,
  words: readonly string[],
  maxLines: number,
): readonly Omit<FileMatch, 'path'>[] {
  const found: Omit<FileMatch, 'path'>[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (found.length === maxLines) break;
    const lower = line.toLowerCase();
    if (words.every((word) => lower.includes(word)))
      found.push({ line: index + 1, text: truncateForJson(line.trim(), maxLineLength) });
  }
  return found;
}

function unlessTooLarge(error: unknown): undefined {
  if (!(error instanceof AppError) || error.code !== 'FAILED_PRECONDITION') throw error;
}
