import { exitCodes } from '../failure/exit-codes';
import { Failure } from '../failure/failure';
import { safeText } from '../output/safe-text';
import { tableView } from '../output/table';
import { textView } from '../output/view';
import { readText } from '../terminal/read-input';
import { defineCommand, type AnyCommand } from './command';
import { downloadCommand, uploadCommand } from './file-transfer';
import { agentOption, type ForAgent } from './options';

const path = ['<path>', 'such as home/notes.txt; begins with home/, skills/ or apps/'] as const;
const hints = { NOT_FOUND: 'See "daycare file list" for what there is.' };

/** Whole lines, without the break after the last. */
interface Part {
  readonly summary: string;
  readonly text: string;
  readonly nextOffset?: number;
}

const read = defineCommand<ForAgent>({
  name: 'read',
  description: "print one of your agents' text files",
  args: [path],
  options: [agentOption],
  examples: ['file read home/notes.txt', 'file read home/notes.txt > notes.txt'],
  hints,
  async run({ session, args: [wanted = ''], options: { agent } }) {
    const opened = await session();
    const agentId = await opened.agentId(agent);
    const parts: Part[] = [];
    for (let offset: number | undefined = 0; offset !== undefined;) {
      const part: Part = await opened.callTool(agentId, 'file_read', { path: wanted, offset });
      parts.push(part);
      offset = part.nextOffset;
    }
    const cut = parts.filter(({ summary }) => summary.endsWith('was cut'));
    for (const { summary } of cut) console.error(safeText(summary));
    const text = parts.map((part) => part.text).join('\n');
    return {
      data: { path: wanted, text },
      // What goes into a file or a program is the file as it is.
      render: () => (process.stdout.isTTY ? safeText(text) : text),
    };
  },
});

const write = defineCommand<ForAgent>({
  name: 'write',
  description: "write one of your agents' text files, in place of the one that may be there",
  args: [path, ['<content>', 'the whole text; - reads it from the standard input']],
  options: [agentOption],
  examples: ['file write home/notes.txt "Buy milk"', 'file write skills/cook.md - < cook.md'],
  async run({ session, args: [wanted = '', text = ''], options: { agent } }) {
    const opened = await session();
    const wish = { path: wanted, content: await readText(text) };
    const agentId = await opened.agentId(agent);
    const answer = await opened.callTool<{ summary: string }>(agentId, 'file_write', wish);
    return textView(safeText(answer.summary), answer);
  },
});

const list = defineCommand<ForAgent>({
  name: 'list',
  description: "what is in one of your agents' folders",
  args: [['[path]', 'a folder such as home/notes; all three unless given']],
  options: [agentOption],
  examples: ['file list', 'file list home/notes -o json'],
  hints,
  async run({ session, args: [wanted], options: { agent } }) {
    const opened = await session();
    const wish = wanted === undefined ? {} : { path: wanted };
    const agentId = await opened.agentId(agent);
    const answer = await opened.callTool<{ summary: string }>(agentId, 'file_list', wish);
    return textView(safeText(answer.summary), answer);
  },
});

const remove = defineCommand<ForAgent>({
  name: 'delete',
  description: "delete one of your agents' files, or a folder that is empty",
  args: [path],
  options: [agentOption],
  examples: ['file delete home/notes.txt'],
  async run({ session, args: [wanted = ''], options: { agent } }) {
    const opened = await session();
    const agentId = await opened.agentId(agent);
    const wish = { path: wanted };
    const answer = await opened.callTool<{ summary: string; deleted: boolean }>(
      agentId,
      'file_delete',
      wish,
    );
    if (!answer.deleted)
      throw new Failure(exitCodes.notFound, `${answer.summary}.`, hints.NOT_FOUND);
    return textView(safeText(answer.summary), answer);
  },
});

interface Match {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

const search = defineCommand<ForAgent & { in?: string }>({
  name: 'search',
  description: "lines of your agents' text files that have all of these words",
  args: [['<query...>', 'one to ten words']],
  options: [['--in <path>', 'a folder or file to search in'], agentOption],
  examples: ['file search milk', 'file search buy milk --in home -o json'],
  async run({ session, args: words, options: { agent, in: path } }) {
    const opened = await session();
    const agentId = await opened.agentId(agent);
    const wish = { query: words.join(' '), path };
    const { matches } = await opened.callTool<{ matches: Match[] }>(agentId, 'file_search', wish);
    return tableView(
      matches,
      [
        ['FILE', (match) => `${match.path}:${match.line}`],
        ['LINE', ({ text }) => text],
      ],
      'No line has all of these words.',
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
];
