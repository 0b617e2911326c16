import { DescriptorKind, type Agent, type Descriptor } from '@daycare/contracts/agent-runtime';
import { collect } from '../client/pages';
import type { Session } from '../client/session';
import { recordView } from '../output/record';
import { tableView } from '../output/table';
import { toTime, toWord, toYesNo } from '../output/words';
import { defineCommand } from './command';
import { limitOption, type Limited } from './options';

const kinds = ['user', 'subuser', 'permanent', 'app', 'subagent', 'cron', 'heartbeat'] as const;

interface ListOptions extends Limited {
  readonly subuser?: string;
  readonly kind?: (typeof kinds)[number];
  readonly dead?: boolean;
}

export const listCommand = defineCommand<ListOptions>({
  name: 'list',
  description: 'your agents or those of a subuser, newest first',
  options: [
    limitOption,
    ['--subuser <id>', 'the agents of this subuser of yours'],
    ['--kind <kind>', 'only agents of this kind', { choices: kinds }],
    ['--dead', 'dead ones too'],
  ],
  examples: ['agent list', 'agent list --subuser clx3k2… -o json'],
  hints: { NOT_FOUND: 'See "daycare subuser list" for the ids of yours.' },
  async run({ session, options: { limit, subuser = '', kind, dead = false } }) {
    const { runtime } = await session();
    const filter = {
      subuserId: subuser,
      kinds: kind ? [DescriptorKind[kind.toUpperCase() as keyof typeof DescriptorKind]] : [],
      includeDead: dead,
    };
    const agents = await collect(limit, async (page) => {
      const { agents: items, nextPageToken } = await runtime.listAgents({ ...page, ...filter });
      return { items, nextPageToken };
    });
    return tableView(
      agents,
      [
        ['ID', ({ id }) => id],
        ['KIND', ({ descriptor }) => kindOf(descriptor)],
        ['LABEL', ({ label }) => label],
        ['LIFECYCLE', ({ lifecycle }) => toWord('AGENT_LIFECYCLE', lifecycle)],
        ['INBOX', ({ inboxCount }) => inboxCount],
        ['UPDATED', ({ updatedAt }) => toTime(updatedAt)],
      ],
      'There are no agents yet; "daycare agent send" makes one.',
    );
  },
});

export const showCommand = defineCommand({
  name: 'show',
  description: 'one agent with its model and what it has used',
  args: [['[id]', 'of the agent; the one you talked with last unless given']],
  examples: ['agent show', 'agent show clx3k2… -o json'],
  hints: { NOT_FOUND: 'See "daycare agent list" for the ids of yours.' },
  async run({ session, args: [id] }) {
    const agent = await findAgent(await session(), id);
    return recordView(agent, agent ? entriesOf(agent) : []);
  },
});

async function findAgent(session: Session, id: string | undefined): Promise<Agent | undefined> {
  if (id === undefined) return session.mostRecentAgent();
  const selector = { $case: 'agentId', value: id } as const;
  return (await session.runtime.getAgent({ selector })).agent;
}

function entriesOf(agent: Agent): [string, string | number][] {
  const { usage } = agent;
  return [
    ['id', agent.id],
    ['kind', kindOf(agent.descriptor)],
    ['label', agent.label],
    ['lifecycle', toWord('AGENT_LIFECYCLE', agent.lifecycle)],
    ['foreground', toYesNo(agent.foreground)],
    ['model', [agent.provider, agent.model].filter((part) => part !== '').join('/')],
    ['permissions', agent.grantedPermissions.join(', ')],
    ['tokens used', usage ? `${usage.inputTokens} in, ${usage.outputTokens} out` : ''],
    ['context', `about ${agent.contextTokens} tokens`],
    ['inbox', agent.inboxCount],
    ['last record', agent.lastSequence],
    ['created', toTime(agent.createdAt)],
    ['updated', toTime(agent.updatedAt)],
    ['last heard you', toTime(agent.lastUserActivityAt)],
  ];
}

function kindOf(descriptor: Descriptor | undefined): string {
  return descriptor?.kind?.$case ?? '';
}
