import { collect } from '../client/pages';
import { safeText } from '../output/safe-text';
import { tableView } from '../output/table';
import { textView } from '../output/view';
import { readText } from '../terminal/read-input';
import { defineCommand, type AnyCommand } from './command';
import { agentOption, limitOption, type ForAgent, type Limited } from './options';

const list = defineCommand<Limited & ForAgent>({
  name: 'list',
  description: 'the tools that an agent can use',
  options: [limitOption, agentOption],
  examples: ['tool list', 'tool list --agent clx3k2… -o json'],
  hints: { NOT_FOUND: 'See "daycare agent list" for the ids of yours.' },
  async run({ session, options: { limit, agent } }) {
    const opened = await session();
    const agentId = await opened.agentId(agent);
    const tools = await collect(limit, async (page) => {
      const answer = await opened.runtime.listTools({ ...page, agentId });
      return { items: answer.tools, nextPageToken: answer.nextPageToken };
    });
    return tableView(
      tools,
      [
        ['NAME', ({ name }) => name],
        ['DESCRIPTION', ({ description }) => description],
      ],
      'It has no tools.',
    );
  },
});

const call = defineCommand<ForAgent>({
  name: 'call',
  description: 'run a tool as an agent, outside any turn',
  args: [
    ['<name>', 'of the tool'],
    ['[arguments]', 'a JSON object; - reads it from the standard input'],
  ],
  options: [agentOption],
  examples: ['tool call topology', `tool call memory_search '{"query":"birthday"}' -o json`],
  hints: { NOT_FOUND: 'See "daycare tool list" for the tools of the agent.' },
  async run({ session, args: [name = '', args = '{}'], options: { agent } }) {
    const opened = await session();
    const argumentsJson = await readText(args);
    const agentId = await opened.agentId(agent);
    const requestId = opened.requestIds.next();
    const { resultJson } = await opened.runtime.callTool({
      ...{ requestId, agentId, name, argumentsJson },
    });
    const result = JSON.parse(resultJson) as unknown;
    return textView(safeText(JSON.stringify(result, null, 2)), result);
  },
});

export const toolCommands: readonly AnyCommand[] = [list, call];
