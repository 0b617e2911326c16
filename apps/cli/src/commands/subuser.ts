import { collect } from '../client/pages';
import { tableView } from '../output/table';
import { textView } from '../output/view';
import { toTime } from '../output/words';
import { readText } from '../terminal/read-input';
import { defineCommand, type AnyCommand } from './command';
import { agentOption, limitOption, type ForAgent, type Limited } from './options';
import { userView } from './user';

const id = ['<id>', 'as "daycare subuser list" shows it'] as const;
const hints = { NOT_FOUND: 'See "daycare subuser list" for the ids of yours.' };

interface Created {
  readonly subuserId: string;
  readonly nametag: string;
  readonly gatewayAgentId: string;
}

const create = defineCommand<ForAgent & { prompt: string; description?: string }>({
  name: 'create',
  description: 'make a subuser with its gateway agent; done by an agent of yours',
  args: [['<name>', 'what people call it, up to 100 characters']],
  options: [
    [
      '--prompt <text>',
      'what its gateway agent is to do; - reads it from the standard input',
      { isRequired: true },
    ],
    ['--description <text>', 'one line that friends see when it is offered to them'],
    agentOption,
  ],
  examples: [
    'subuser create Cook --prompt "You know recipes."',
    'subuser create Cook --prompt - --description "Knows recipes" < prompt.md',
  ],
  async run({ session, args: [name = ''], options: { prompt, description, agent } }) {
    const opened = await session();
    const systemPrompt = await readText(prompt);
    const wish = { name, systemPrompt, ...(description === undefined ? {} : { description }) };
    const agentId = await opened.agentId(agent);
    const made = await opened.callTool<Created>(agentId, 'subuser_create', wish);
    const text = `Made subuser ${made.subuserId}, nametag ${made.nametag}, gateway ${made.gatewayAgentId}`;
    return textView(text, made);
  },
});

const configure = defineCommand<ForAgent & { prompt: string }>({
  name: 'configure',
  description: 'give the gateway agent of a subuser another prompt, from its next turn on',
  args: [id],
  options: [
    [
      '--prompt <text>',
      'in place of the one before; - reads it from the standard input',
      { isRequired: true },
    ],
    agentOption,
  ],
  examples: ['subuser configure clx3k2… --prompt - < prompt.md'],
  hints,
  async run({ session, args: [subuserId = ''], options: { prompt, agent } }) {
    const opened = await session();
    const wish = { subuserId, systemPrompt: await readText(prompt) };
    const agentId = await opened.agentId(agent);
    const answer = await opened.callTool<object>(agentId, 'subuser_configure', wish);
    return textView(`Configured subuser ${subuserId}`, answer);
  },
});

const list = defineCommand<Limited>({
  name: 'list',
  description: 'your subusers',
  options: [limitOption],
  examples: ['subuser list', 'subuser list -o json'],
  async run({ session, options }) {
    const { identity } = await session();
    const subusers = await collect(options.limit, async (page) => {
      const { subusers: items, nextPageToken } = await identity.listSubusers(page);
      return { items, nextPageToken };
    });
    return tableView(
      subusers,
      [
        ['ID', (subuser) => subuser.id],
        ['NAME', ({ name }) => name],
        ['NAMETAG', ({ nametag }) => nametag],
        ['CREATED', ({ createdAt }) => toTime(createdAt)],
        ['DESCRIPTION', ({ description }) => description],
      ],
      'You have no subusers.',
    );
  },
});

const rename = defineCommand({
  name: 'rename',
  description: 'change what a subuser is called; its nametag stays',
  args: [id, ['<name>', 'up to 100 characters']],
  examples: ['subuser rename clx3k2… "Head cook"'],
  hints,
  async run({ session, args: [subuserId = '', name = ''] }) {
    const { identity, requestIds } = await session();
    const request = { requestId: requestIds.next(), subuserId, name };
    return userView((await identity.renameSubuser(request)).subuser);
  },
});

const remove = defineCommand({
  name: 'delete',
  description: 'delete a subuser with its agents, memory and files; it cannot be undone',
  args: [id],
  examples: ['subuser delete clx3k2…'],
  hints,
  async run({ session, args: [subuserId = ''] }) {
    const { identity, requestIds } = await session();
    await identity.deleteSubuser({ requestId: requestIds.next(), subuserId });
    return textView(`Deleted subuser ${subuserId}`, { subuserId });
  },
});

export const subuserCommands: readonly AnyCommand[] = [create, configure, list, rename, remove];
