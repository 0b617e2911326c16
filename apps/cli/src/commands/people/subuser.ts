import { listSubusers } from '../../names/subusers';
import { tableView } from '../../output/table';
import { textView } from '../../output/view';
import { readText } from '../../terminal/read-input';
import { defineCommand, type AnyCommand } from '../kit/command';
import { callingAgentOption, limitOption, type ForAgent, type Limited } from '../kit/options';
import { userView } from '../account/user';

const subuser = [
  '<subuser>',
  'name, or id from "daycare subuser list"',
  { kind: 'subuser' },
] as const;
const hints = { NOT_FOUND: 'Run "daycare subuser list" to see your subusers.' };

interface Created {
  readonly subuserId: string;
  readonly nametag: string;
  readonly gatewayAgentId: string;
}

const create = defineCommand<ForAgent & { prompt: string; description?: string }>({
  name: 'create',
  description: 'create a subuser and its gateway agent',
  args: [['<name>', 'display name, up to 100 characters']],
  options: [
    [
      '--prompt <text>',
      'system prompt for its gateway agent; - reads it from standard input',
      { isRequired: true },
    ],
    ['--description <text>', 'one line that friends see when you share the subuser'],
    callingAgentOption,
  ],
  examples: [
    'subuser create Cook --prompt "You know recipes."',
    'subuser create Cook --prompt - --description "Knows recipes" < prompt.md',
  ],
  async run({ session, args: [name = ''], options: { prompt, description, agent } }) {
    const opened = await session();
    const systemPrompt = await readText(prompt);
    const request = { name, systemPrompt, ...(description === undefined ? {} : { description }) };
    const agentId = await opened.agentId(agent);
    const created = await opened.callTool<Created>(agentId, 'subuser_create', request);
    const text = `Created subuser ${created.subuserId} with nametag ${created.nametag} and gateway agent ${created.gatewayAgentId}.`;
    return textView(text, created);
  },
});

const configure = defineCommand<ForAgent & { prompt: string }>({
  name: 'configure',
  description: "change the prompt of a subuser's gateway agent; takes effect on its next turn",
  args: [subuser],
  options: [
    ['--prompt <text>', 'new system prompt; - reads it from standard input', { isRequired: true }],
    callingAgentOption,
  ],
  examples: ['subuser configure cook --prompt - < prompt.md'],
  hints,
  async run({ session, args: [subuserId = ''], options: { prompt, agent } }) {
    const opened = await session();
    const request = { subuserId, systemPrompt: await readText(prompt) };
    const agentId = await opened.agentId(agent);
    const result = await opened.callTool<object>(agentId, 'subuser_configure', request);
    return textView(`Configured subuser ${subuserId}.`, result);
  },
});

const list = defineCommand<Limited>({
  name: 'list',
  description: 'list your subusers',
  options: [limitOption],
  examples: ['subuser list', 'subuser list -o json'],
  async run({ session, options }) {
    return tableView(
      await listSubusers(await session(), options.limit),
      [
        ['ID', ({ id }) => id, 'id'],
        ['NAME', ({ name }) => name, 'long'],
        ['NAMETAG', ({ nametag }) => nametag],
        ['AGE', ({ createdAt }) => createdAt],
        ['DESCRIPTION', ({ description }) => description, 'long'],
      ],
      'You have no subusers.',
    );
  },
});

const rename = defineCommand({
  name: 'rename',
  description: 'rename a subuser; its nametag does not change',
  args: [subuser, ['<name>', 'new display name, up to 100 characters']],
  examples: ['subuser rename cook "Head cook"'],
  hints,
  async run({ session, args: [subuserId = '', name = ''] }) {
    const { identity, requestIds } = await session();
    const request = { requestId: requestIds.next(), subuserId, name };
    return userView((await identity.renameSubuser(request)).subuser);
  },
});

const remove = defineCommand({
  name: 'delete',
  description: 'delete a subuser and its agents, memory and files; cannot be undone',
  args: [subuser],
  examples: ['subuser delete cook', 'subuser delete cook --yes'],
  confirm: ([name]) =>
    `Delete subuser ${name} and its agents, memory and files? This cannot be undone.`,
  hints,
  async run({ session, args: [subuserId = ''] }) {
    const { identity, requestIds } = await session();
    await identity.deleteSubuser({ requestId: requestIds.next(), subuserId });
    return textView(`Deleted subuser ${subuserId}.`, { subuserId });
  },
});

export const subuserCommands: readonly AnyCommand[] = [create, configure, list, rename, remove];
