import { z } from 'zod';
import { AppError, isForeign, notFound, type Trust } from '@daycare/api';
import { decodeText } from '../../files';
import {
  checkFilePath,
  fileFolders,
  type HomeEntry,
  lowestAuthor,
  type SearchFiles,
  type UserHomes,
} from '../../homes';
import { fitCharacters } from '../../shared/text/fit-characters';
import { summaryOf } from '../../shared/text/list-summary';
import { pageOf } from '../../shared/text/page-of';
import { pageOffset } from '../domain/page-offset';
import { takeLines } from '../../shared/text/take-lines';
import { removeOnce, writeOnce, type ChangeFilesDeps } from '../usecases/change-files-once';
import type { ToolLedger } from '../ports/ledger';
import { labelled } from '../domain/tool-outcome';
import { defineTool, type Tool } from '../registry/tool';
import { anyAgent, everyone } from '../registry/tool-access';

export interface FileToolsDeps {
  /** Undefined if users have no directories, e.g. because DAYCARE_USERS_DIR is not set. */
  readonly files: FileUsecases | undefined;
  readonly ledger: ToolLedger;
}

export interface FileUsecases {
  readonly homes: Pick<
    UserHomes,
    'identify' | 'list' | 'provenance' | 'readWithAuthor' | 'remove' | 'write'
  >;
  readonly searchFiles: SearchFiles;
}

const maxFileBytes = 1024 * 1024;
// Less than a tool result can hold, because the registry would truncate longer text at a point from which reading
// cannot resume.
const maxReadCharacters = 6_500;
const maxSearchCharacters = 7_000;

const quarantineNote =
  '; it is not used as a skill until the user approves it, e.g. with "daycare skill approve"';

const access = { isVisibleTo: everyone, authorise: anyAgent };
const filePath = z
  .string()
  .describe('A path that starts with home/, skills/ or apps/, e.g. home/notes.txt');

/** The tools for users' own files; none if `files` is undefined. */
export function fileTools({ files, ledger }: FileToolsDeps): Tool[] {
  if (!files) return [];
  const { homes } = files;
  return [
    readTool(files),
    writeTool({ homes, ledger }),
    listTool(files),
    deleteTool({ homes, ledger }),
    searchTool(files),
  ];
}

function readTool({ homes }: FileUsecases): Tool {
  return defineTool({
    name: 'file_read',
    description:
      'Returns lines from one of your text files. A long file comes in parts: pass nextOffset as offset to continue. ' +
      'Files over 1 MiB and binary files cannot be read.',
    schema: {
      path: filePath,
      offset: z.int().min(0).optional().describe('How many lines to skip; defaults to 0'),
      limit: z.int().min(1).optional().describe('The maximum number of lines to return'),
    },
    ...access,
    async execute({ path: rawPath, offset = 0, limit = Infinity }, { agent }) {
      const path = checkFilePath(rawPath);
      const file = await homes.readWithAuthor(agent.userId, path, maxFileBytes);
      if (!file) throw notFound('file');
      const range = { offset, limit, maxCharacters: maxReadCharacters };
      const { text, count, total, isTruncated } = takeLines(textOf(file.content), range);
      const nextOffset = offset + count;
      const which = count === 0 ? 'No lines' : `Lines ${offset + 1} to ${nextOffset}`;
      const note = isTruncated ? '; the line is too long and was truncated' : '';
      const summary = `${which} of ${total} of ${path}${note}`;
      const more = count > 0 && nextOffset < total ? { nextOffset } : {};
      const truncation = isTruncated ? { isTruncated } : {};
      return labelled({ summary, text, ...truncation, ...more }, { provenance: file.writtenBy });
    },
  });
}

function writeTool(deps: ChangeFilesDeps): Tool {
  return defineTool({
    name: 'file_write',
    keepsOwnRecord: true,
    description:
      'Writes a text file, replacing any existing one and creating missing folders. All of your user’s agents ' +
      'share these files. To add a skill, write skills/<name>.md. Returns its path and size.',
    schema: {
      path: filePath,
      content: z.string().describe('The complete text, about 250,000 characters at most'),
    },
    ...access,
    async execute({ path: rawPath, content }, call) {
      const path = checkFilePath(rawPath);
      const bytes = Buffer.from(content, 'utf8');
      await writeOnce(deps, call, { path, bytes });
      const note = path.startsWith('skills/') && isForeign(call.trust) ? quarantineNote : '';
      const summary = `Wrote ${bytes.length} bytes to ${path}${note}`;
      return { summary, path, bytes: bytes.length };
    },
  });
}

function listTool({ homes }: FileUsecases): Tool {
  return defineTool({
    name: 'file_list',
    description:
      'Lists a folder, one entry per line: path, size in bytes and time of the last change. Folder paths end with a ' +
      'slash. Without a path, it lists home, skills and apps.',
    schema: {
      path: z
        .string()
        .optional()
        .describe('A folder, e.g. home/notes; omit it to list home, skills and apps'),
      offset: pageOffset,
    },
    ...access,
    async execute({ path = '', offset }, { agent: { userId } }) {
      const lists =
        path === '' ? await listRoots(homes, userId) : [await listFolder(homes, userId, path)];
      const entries = lists.flatMap((list) => list.entries);
      const shown =
        offset === undefined
          ? { summary: summaryOf(entries.map(lineOf), 'The folder is empty') }
          : pageOf(entries, offset);
      const provenance = lowestAuthor(lists.map(({ writtenBy }) => writtenBy));
      return labelled({ ...shown, count: entries.length }, { provenance });
    },
  });
}

function deleteTool(deps: ChangeFilesDeps): Tool {
  return defineTool({
    name: 'file_delete',
    keepsOwnRecord: true,
    description:
      'Deletes a file or an empty folder permanently. Returns deleted: false if there was nothing at the path.',
    schema: {
      path: filePath,
      recursive: z
        .boolean()
        .optional()
        .describe(
          'True to delete a folder with its contents; home, skills and apps themselves are only emptied',
        ),
    },
    ...access,
    async execute({ path: rawPath, recursive = false }, call) {
      const path = checkFilePath(rawPath);
      const deleted = await removeOnce(deps, call, { path, recursive });
      const action = isRoot(path) ? 'Emptied' : 'Deleted';
      return { summary: deleted ? `${action} ${path}` : `${path} does not exist`, path, deleted };
    },
  });
}

function searchTool({ searchFiles }: FileUsecases): Tool {
  return defineTool({
    name: 'file_search',
    description:
      'Finds lines in your text files that contain all words in the query, ignoring case. Returns the path, line ' +
      'number and text of each line. Files over 1 MiB are not searched.',
    schema: {
      query: z.string().describe('One to ten words'),
      path: z.string().optional().describe('A folder or file to search; omit it to search all'),
    },
    ...access,
    async execute({ query, path: rawPath = '' }, { agent: { userId }, signal }) {
      const path = rawPath === '' ? undefined : checkFilePath(rawPath);
      const result = await searchFiles({ userId, query, path, signal });
      const matches = fitCharacters(result.matches, maxSearchCharacters);
      const isComplete = result.isComplete && matches.length === result.matches.length;
      const what = matches.length === 1 ? '1 line' : `${matches.length} lines`;
      const note = isComplete
        ? ''
        : '; there may be more, so search one folder or use more specific words';
      return labelled(
        { summary: `${what} found${note}`, matches },
        { provenance: result.writtenBy },
      );
    },
  });
}

type Lister = Pick<UserHomes, 'list' | 'provenance'>;

interface FolderList {
  readonly entries: readonly ListedEntry[];
  /** The lowest trust of whoever chose the names; undefined when the user or the user's agents did. */
  readonly writtenBy: Trust | undefined;
}

async function listFolder(homes: Lister, userId: string, rawPath: string): Promise<FolderList> {
  const path = checkFilePath(rawPath);
  const entries = await homes.list(userId, path);
  // The root folders exist on disk only after the first write.
  if (!entries && !isRoot(path)) throw notFound('folder');
  const names = (entries ?? []).map(({ name }) => name);
  const writtenBy = await homes.provenance.authorOfNames(userId, path, names);
  return { entries: (entries ?? []).map((entry) => toListed(path, entry)), writtenBy };
}

function listRoots(homes: Lister, userId: string): Promise<FolderList[]> {
  return Promise.all(
    fileFolders.map(async (folder) => {
      const { entries, writtenBy } = await listFolder(homes, userId, folder);
      return { entries: [{ path: folder, kind: 'folder' as const }, ...entries], writtenBy };
    }),
  );
}

function isRoot(path: string): boolean {
  return fileFolders.some((folder) => folder === path);
}

interface ListedEntry extends Pick<HomeEntry, 'kind'> {
  readonly path: string;
  /** Present for files only. */
  readonly size?: number;
  /** Absent for a root folder, which may not exist yet. */
  readonly modifiedAt?: Date;
}

function toListed(folder: string, { name, kind, size, modifiedAt }: HomeEntry): ListedEntry {
  return { path: `${folder}/${name}`, kind, ...(kind === 'file' ? { size } : {}), modifiedAt };
}

function lineOf({ path, kind, size, modifiedAt }: ListedEntry): string {
  const changed = modifiedAt ? ` changed ${modifiedAt.toISOString()}` : '';
  if (kind === 'folder') return `${path}/${changed}`;
  return kind === 'file' ? `${path} ${size} bytes${changed}` : `${path} (${kind})${changed}`;
}

function textOf(content: Uint8Array): string {
  const text = decodeText(content, true);
  if (text === undefined) throw new AppError('FAILED_PRECONDITION', 'The file is not text');
  return text;
}
