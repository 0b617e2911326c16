import { recordView } from '../output/record';
import { safeText } from '../output/safe-text';
import { tableView } from '../output/table';
import { textView } from '../output/view';
import { readText } from '../terminal/read-input';
import { defineCommand, type AnyCommand } from './command';
import { addTo, agentOption, parseCount, type ForAgent, type Limited } from './options';

interface WriteOptions extends ForAgent {
  readonly id?: string;
  readonly description?: string;
  readonly parent?: readonly string[];
}

const write = defineCommand<WriteOptions>({
  name: 'write',
  description: 'remember something for all your agents, or replace what is remembered',
  args: [
    ['<title>', 'of the node'],
    ['<content>', 'Markdown, [[id]] links to others; - reads it from the standard input'],
  ],
  options: [
    ['--id <id>', 'the node to replace, or a telling id for a new one'],
    ['--description <text>', 'what it is about, in one line'],
    ['--parent <id>', 'a node it belongs under; may be given again', { parse: addTo }],
    agentOption,
  ],
  examples: ['memory write "Anna\'s birthday" "On 4 May" --id anna-birthday'],
  async run({ session, args: [title = '', content = ''], options }) {
    const opened = await session();
    const { id: nodeId, description, parent: parents, agent } = options;
    const node = { nodeId, title, description, content: await readText(content), parents };
    const agentId = await opened.agentId(agent);
    const answer = await opened.callTool<{ summary: string }>(agentId, 'memory_write', node);
    return textView(safeText(answer.summary), answer);
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
  description: 'one node of the memory with those around it',
  args: [['[id]', 'of the node; what is at the top unless given']],
  options: [agentOption],
  examples: ['memory read', 'memory read anna-birthday -o json'],
  hints: { NOT_FOUND: 'See "daycare memory list" or "daycare memory search".' },
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
    const { nextOffset: _all, ...node } = first;
    const below = (first.children ?? []).map((child) => `${child.nodeId} ${child.title}`);
    return recordView({ ...node, text }, [
      ['id', nodeId],
      ['title', first.title],
      ['about', first.description ?? ''],
      ['below', below.join('\n')],
      ['text', text],
    ]);
  },
});

const rootId = 'root';

interface Found {
  readonly nodes: readonly { nodeId: string; title: string; excerpt: string }[];
}

const search = defineCommand<ForAgent & Limited>({
  name: 'search',
  description: 'nodes of the memory with some of these words, best first',
  args: [['<query...>', 'a few words']],
  options: [
    ['--limit <count>', 'show at most so many, up to 20', { parse: parseCount }],
    agentOption,
  ],
  examples: ['memory search birthday', 'memory search birthday anna --limit 3 -o json'],
  async run({ session, args: words, options: { agent, limit } }) {
    const opened = await session();
    const agentId = await opened.agentId(agent);
    const wish = { query: words.join(' '), limit };
    const { nodes } = await opened.callTool<Found>(agentId, 'memory_search', wish);
    return tableView(
      nodes,
      [
        ['ID', ({ nodeId }) => nodeId],
        ['TITLE', ({ title }) => title],
        ['EXCERPT', ({ excerpt }) => excerpt],
      ],
      'Nothing is remembered about that.',
    );
  },
});

const list = defineCommand<ForAgent>({
  name: 'list',
  description: 'the nodes directly below one',
  args: [['[id]', 'of the node above; the top unless given']],
  options: [agentOption],
  examples: ['memory list', 'memory list family -o json'],
  hints: { NOT_FOUND: 'See "daycare memory list" for what there is.' },
  async run({ session, args: [parent], options: { agent } }) {
    const opened = await session();
    const agentId = await opened.agentId(agent);
    const wish = parent === undefined ? {} : { parent };
    const answer = await opened.callTool<{ summary: string }>(agentId, 'memory_list', wish);
    return textView(safeText(answer.summary), answer);
  },
});

export const memoryCommands: readonly AnyCommand[] = [write, read, search, list];
