import { collectEntries } from '../../client/collect-entries';
import { exitCodes } from '../../failure/exit-codes';
import { Failure } from '../../failure/failure';
import { recordView } from '../../output/record';
import { safeText } from '../../output/safe-text';
import { tableView } from '../../output/table';
import { textView } from '../../output/view';
import { readText } from '../../terminal/read-input';
import { defineCommand, type AnyCommand } from '../kit/command';
import { collectValue, agentOption, parseCount, type ForAgent, type Limited } from '../kit/options';

const findNodes = 'Find nodes with "daycare memory list" or "daycare memory search".';

interface WriteOptions extends ForAgent {
  readonly id?: string;
  readonly description?: string;
  readonly parent?: readonly string[];
}

const write = defineCommand<WriteOptions>({
  name: 'write',
  description: 'write a node to the memory that all your agents share',
  args: [
    ['<title>', 'title of the node'],
    ['<content>', 'Markdown, where [[id]] links to another node; - reads it from standard input'],
  ],
  options: [
    ['--id <id>', 'id of the node to replace, or of the new node'],
    ['--description <text>', 'one-line summary'],
    ['--parent <id>', 'id of a parent node; repeatable', { parse: collectValue }],
    agentOption,
  ],
  examples: ['memory write "Anna\'s birthday" "On 4 May" --id anna-birthday'],
  async run({ session, args: [title = '', content = ''], options }) {
    const opened = await session();
    const { id: nodeId, description, parent: parents, agent } = options;
    const node = { nodeId, title, description, content: await readText(content), parents };
    const agentId = await opened.agentId(agent);
    const result = await opened.callTool<{ summary: string }>(agentId, 'memory_write', node);
    return textView(safeText(result.summary), result);
  },
});

interface Part {
  readonly title: string;
  readonly text?: string;
  readonly description?: string;
  readonly nextOffset?: number;
  readonly children?: readonly { nodeId: string; title: string }[];
}

const read = defineCommand<ForAgent>({
  name: 'read',
  description:
    'show a memory node and its children; with -o json or yaml, also its parents, links and backlinks',
  args: [['[id]', 'id of the node (default: the root)']],
  options: [agentOption],
  examples: ['memory read', 'memory read anna-birthday -o json'],
  hints: { NOT_FOUND: findNodes },
  async run({ session, args: [nodeId = rootId], options: { agent } }) {
    const opened = await session();
    const agentId = await opened.agentId(agent);
    const readPart = (offset: number): Promise<Part> =>
      opened.callTool<Part>(agentId, 'memory_read', { nodeId, offset });
    const first = await readPart(0);
    let text = first.text ?? '';
    for (let { nextOffset } = first; nextOffset !== undefined;) {
      const part = await readPart(nextOffset);
      text += part.text ?? '';
      ({ nextOffset } = part);
    }
    const { nextOffset: _, ...node } = first;
    const below = (first.children ?? []).map((child) => `${child.nodeId} ${child.title}`);
    return recordView({ ...node, text }, [
      ['id', nodeId],
      ['title', first.title],
      ['summary', first.description ?? ''],
      ['children', below.join('\n')],
      ['text', text],
    ]);
  },
});

const rootId = 'root';

interface SearchResult {
  readonly nodes: readonly { nodeId: string; title: string; excerpt: string }[];
}

const search = defineCommand<ForAgent & Limited>({
  name: 'search',
  description: 'search memory nodes, best match first',
  args: [['<query...>', 'words to search for']],
  options: [
    [
      '--limit <count>',
      'maximum number of results (default: 8, at most 20)',
      { parse: parseCount },
    ],
    agentOption,
  ],
  examples: ['memory search birthday', 'memory search birthday anna --limit 3 -o json'],
  async run({ session, args: words, options: { agent, limit } }) {
    const opened = await session();
    const agentId = await opened.agentId(agent);
    const request = { query: words.join(' '), limit };
    const { nodes } = await opened.callTool<SearchResult>(agentId, 'memory_search', request);
    return tableView(
      nodes,
      [
        ['ID', ({ nodeId }) => nodeId, 'id'],
        ['TITLE', ({ title }) => title, 'long'],
        ['EXCERPT', ({ excerpt }) => excerpt, 'long'],
      ],
      'No matches.',
    );
  },
});

interface ListedNode {
  readonly nodeId: string;
  readonly title: string;
  readonly description: string;
  readonly childCount: number;
  readonly updatedAt: string;
}

const list = defineCommand<ForAgent>({
  name: 'list',
  description: 'list the children of a memory node',
  args: [['[id]', 'id of the parent node (default: the root)']],
  options: [agentOption],
  examples: ['memory list', 'memory list family -o json'],
  hints: { NOT_FOUND: 'Run "daycare memory list" to see the top-level nodes.' },
  async run({ session, args: [parent], options: { agent } }) {
    const opened = await session();
    const agentId = await opened.agentId(agent);
    const request = parent === undefined ? {} : { parent };
    const nodes = await collectEntries<ListedNode>((offset) =>
      opened.callTool(agentId, 'memory_list', { ...request, offset }),
    );
    return tableView(
      nodes,
      [
        ['ID', ({ nodeId }) => nodeId, 'id'],
        ['TITLE', ({ title }) => title, 'long'],
        ['CHILDREN', ({ childCount }) => childCount],
        ['AGE', ({ updatedAt }) => new Date(updatedAt)],
        ['DESCRIPTION', ({ description }) => description, 'long'],
      ],
      'There are no memories here.',
    );
  },
});

const remove = defineCommand<ForAgent>({
  name: 'delete',
  description:
    'delete a memory node; its children are kept under their other parents, or at the root',
  args: [['<id>', 'id of the node']],
  options: [agentOption],
  examples: ['memory delete anna-birthday', 'memory delete anna-birthday --yes'],
  confirm: ([id]) => `Delete memory node ${id} for good?`,
  async run({ session, args: [nodeId = ''], options: { agent } }) {
    const opened = await session();
    const agentId = await opened.agentId(agent);
    const result = await opened.callTool<{ summary: string; deleted: boolean }>(
      agentId,
      'memory_delete',
      { nodeId },
    );
    if (!result.deleted) throw new Failure(exitCodes.notFound, `${result.summary}.`, findNodes);
    return textView(safeText(result.summary), result);
  },
});

export const memoryCommands: readonly AnyCommand[] = [write, read, search, list, remove];
