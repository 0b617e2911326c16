import { collect } from '../../client/rpc/pages';
import { safeText } from '../../output/safe-text';
import { tableView } from '../../output/table';
import { textView } from '../../output/view';
import { readText } from '../../terminal/read-input';
import { defineCommand, type AnyCommand } from '../kit/command';
import { agentOption, limitOption, type ForAgent, type Limited } from '../kit/options';

const list = defineCommand<Limited & ForAgent>({
  name: 'list',
  description: 'list the tools an agent can use',
  options: [limitOption, agentOption],
  examples: ['tool list', 'tool list --agent work -o json'],
  hints: { NOT_FOUND: 'Run "daycare agent list" to see your agents.' },
  async run({ session, options: { limit, agent } }) {
    const opened = await session();
    const agentId = await opened.agentId(agent);
    const tools = await collect(limit, async (page) => {
      const response = await opened.runtime.listTools({ ...page, agentId });
      return { items: response.tools, nextPageToken: response.nextPageToken };
    });
    return tableView(
      tools,
      [
        ['NAME', ({ name }) => name],
        ['DESCRIPTION', ({ description }) => description, 'long'],
      ],
      'This agent has no tools.',
    );
  },
});

const call = defineCommand<ForAgent>({
  name: 'call',
  description: 'run a tool as an agent, outside of a turn',
  args: [
    ['<name>', 'name of the tool'],
    ['[arguments]', 'JSON object; - reads it from standard input'],
  ],
  options: [agentOption],
  examples: ['tool call topology', `tool call memory_search '{"query":"birthday"}' -o json`],
  hints: {
    NOT_FOUND:
      'Run "daycare tool list" to see an agent\'s tools, and "daycare agent list" to see your agents.',
  },
  async run({ session, args: [name = '', args = '{}'], options: { agent } }) {
    const opened = await session();
    const argumentsJson = await readText(args);
    const agentId = await opened.agentId(agent);
    const requestId = opened.requestIds.next();
    const { resultJson } = await opened.runtime.callTool({
      requestId,
      agentId,
      name,
      argumentsJson,
    });
    const result = JSON.parse(resultJson) as unknown;
    return textView(safeText(JSON.stringify(result, null, 2)), result);
  },
});

export const toolCommands: readonly AnyCommand[] = [list, call];
