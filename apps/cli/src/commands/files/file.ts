import { collectEntries } from '../../client/collect-entries';
import { exitCodes } from '../../failure/exit-codes';
import { Failure } from '../../failure/failure';
import { safeText } from '../../output/safe-text';
import { tableView } from '../../output/table';
import { textView } from '../../output/view';
import { readText } from '../../terminal/read-input';
import { defineCommand, type AnyCommand } from '../kit/command';
import { downloadCommand, uploadCommand } from './file-transfer';
import { discardCommand, uploadsCommand } from './file-uploads';
import { agentOption, type ForAgent } from '../kit/options';

const path = ['<path>', 'path under home/, skills/ or apps/, e.g. home/notes.txt'] as const;
const hints = { NOT_FOUND: 'Run "daycare file list" to see the files.' };

/** A part of a text file: complete lines, without the line break after the last one. */
interface Part {
  readonly summary: string;
  readonly text: string;
  /** The only line of this part was too long, and its end is missing. */
  readonly isTruncated?: boolean;
  readonly nextOffset?: number;
}

const read = defineCommand<ForAgent>({
  name: 'read',
  description: "print one of your agents' text files",
  args: [path],
  options: [agentOption],
  examples: ['file read home/notes.txt', 'file read home/notes.txt > notes.txt'],
  hints,
  async run({ session, args: [target = ''], options: { agent } }) {
    const opened = await session();
    const agentId = await opened.agentId(agent);
    const parts: Part[] = [];
    for (let offset: number | undefined = 0; offset !== undefined;) {
      const part: Part = await opened.callTool(agentId, 'file_read', { path: target, offset });
      parts.push(part);
      offset = part.nextOffset;
    }
    for (const { summary, isTruncated } of parts) if (isTruncated) console.error(safeText(summary));
    const text = parts.map((part) => part.text).join('\n');
    return {
      data: { path: target, text },
      // A pipe or a redirect receives the unmodified content.
      render: () => (process.stdout.isTTY ? safeText(text) : text),
    };
  },
});

const write = defineCommand<ForAgent>({
  name: 'write',
  description: "write one of your agents' text files, replacing any existing content",
  args: [path, ['<content>', 'the new content; - reads it from standard input']],
  options: [agentOption],
  examples: ['file write home/notes.txt "Buy milk"', 'file write skills/cook.md - < cook.md'],
  async run({ session, args: [target = '', text = ''], options: { agent } }) {
    const opened = await session();
    const request = { path: target, content: await readText(text) };
    const agentId = await opened.agentId(agent);
    const result = await opened.callTool<{ summary: string }>(agentId, 'file_write', request);
    return textView(safeText(result.summary), result);
  },
});

interface ListedEntry {
  readonly path: string;
  readonly kind: string;
  readonly size?: number;
  readonly modifiedAt?: string;
}

const list = defineCommand<ForAgent>({
  name: 'list',
  description: "list the contents of a folder in your agents' files",
  args: [['[path]', 'folder, e.g. home/notes (default: all top-level folders)']],
  options: [agentOption],
  examples: ['file list', 'file list home/notes -o json'],
  hints,
  async run({ session, args: [folder], options: { agent } }) {
    const opened = await session();
    const request = folder === undefined ? {} : { path: folder };
    const agentId = await opened.agentId(agent);
    const entries = await collectEntries<ListedEntry>((offset) =>
      opened.callTool(agentId, 'file_list', { ...request, offset }),
    );
    return tableView(
      entries,
      [
        ['PATH', ({ path: listed, kind }) => (kind === 'folder' ? `${listed}/` : listed), 'long'],
        ['KIND', ({ kind }) => kind],
        ['SIZE', ({ size }) => size],
        ['CHANGED', ({ modifiedAt }) => modifiedAt && new Date(modifiedAt)],
      ],
      'The folder is empty.',
    );
  },
});

const remove = defineCommand<ForAgent>({
  name: 'delete',
  description: "delete one of your agents' files or empty folders",
  args: [path],
  options: [agentOption],
  examples: ['file delete home/notes.txt', 'file delete home/notes.txt --yes'],
  confirm: ([path]) => `Delete ${path} for good?`,
  async run({ session, args: [target = ''], options: { agent } }) {
    const opened = await session();
    const agentId = await opened.agentId(agent);
    const request = { path: target };
    const result = await opened.callTool<{ summary: string; deleted: boolean }>(
      agentId,
      'file_delete',
      request,
    );
    if (!result.deleted)
      throw new Failure(exitCodes.notFound, `${result.summary}.`, hints.NOT_FOUND);
    return textView(safeText(result.summary), result);
  },
});

interface Match {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

const search = defineCommand<ForAgent & { in?: string }>({
  name: 'search',
  description: "search your agents' text files for lines that contain all given words",
  args: [['<query...>', 'one to ten words to search for']],
  options: [['--in <path>', 'folder or file to search'], agentOption],
  examples: ['file search milk', 'file search buy milk --in home -o json'],
  async run({ session, args: words, options: { agent, in: path } }) {
    const opened = await session();
    const agentId = await opened.agentId(agent);
    const request = { query: words.join(' '), path };
    const { matches } = await opened.callTool<{ matches: Match[] }>(
      agentId,
      'file_search',
      request,
    );
    return tableView(
      matches,
      [
        ['FILE', (match) => `${match.path}:${match.line}`],
        ['LINE', ({ text }) => text, 'long'],
      ],
      'No matches.',
    );
  },
});

export const fileCommands: readonly AnyCommand[] = [
  read,
  write,
  list,
  remove,
  search,
  uploadCommand,
  downloadCommand,
  uploadsCommand,
  discardCommand,
];
