import {
  AgentLifecycle,
  DescriptorKind,
  type Agent,
  type Descriptor,
} from '@daycare/contracts/agent-runtime';
import { enumOf } from '@daycare/contracts/enum-words';
import type { Session } from '../../client/session';
import { listAgents } from '../../names/agents';
import { listCronsOf } from '../../names/schedules';
import { recordView } from '../../output/record';
import { labelText } from '../../output/short-id';
import { tableView } from '../../output/table';
import { toTime, toWait, toWord, toYesNo } from '../../output/words';
import { defineCommand } from '../kit/command';
import { agentArgument, limitOption, onlySubuser, type Limited } from '../kit/options';

const kinds = ['user', 'subuser', 'permanent', 'app', 'subagent', 'cron', 'heartbeat'] as const;

interface ListOptions extends Limited {
  readonly subuser?: string;
  readonly kind?: (typeof kinds)[number];
  readonly dead?: boolean;
}

export const listCommand = defineCommand<ListOptions>({
  name: 'list',
  description: "list your agents or a subuser's, newest first",
  options: [
    limitOption,
    onlySubuser("list this subuser's agents"),
    ['--kind <kind>', 'list only agents of this kind', { choices: kinds }],
    ['--dead', 'include dead agents'],
  ],
  examples: ['agent list', 'agent list --subuser cook -o json'],
  hints: { NOT_FOUND: 'Run "daycare subuser list" to see your subusers.' },
  async run({ session, options: { limit, subuser = '', kind, dead = false } }) {
    const filter = {
      subuserId: subuser,
      kinds: kind ? [enumOf(DescriptorKind, kind)] : [],
      includeDead: dead,
    };
    const opened = await session();
    const agents = await listAgents(opened, filter, limit);
    const crons = await listCronsOf(opened, agents);
    return tableView(
      agents,
      [
        ['ID', ({ id }) => id, 'id'],
        ['NAME', ({ label }) => labelText(label, crons), 'long'],
        ['KIND', ({ descriptor }) => kindOf(descriptor)],
        ['STATE', (agent) => stateOf(agent), 'long'],
        ['INBOX', ({ inboxCount }) => inboxCount],
        ['LAST ACTIVE', ({ updatedAt }) => updatedAt],
        ['AGE', ({ createdAt }) => createdAt],
        ['MODEL', ({ provider, model }) => (model === '' ? '' : `${provider}/${model}`), 'wide'],
      ],
      'No agents yet. Create one with "daycare agent send".',
    );
  },
});

export const showCommand = defineCommand({
  name: 'show',
  description: 'show an agent with its model and token usage',
  args: [agentArgument],
  examples: ['agent show', 'agent show work -o json'],
  hints: { NOT_FOUND: 'Run "daycare agent list" to see your agents.' },
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
    ['name', agent.label],
    ['state', stateOf(agent)],
    ['foreground', toYesNo(agent.foreground)],
    ['model', [agent.provider, agent.model].filter((part) => part !== '').join('/')],
    ['permissions', agent.grantedPermissions.join(', ')],
    ['tokens used', usage ? `${usage.inputTokens} in, ${usage.outputTokens} out` : ''],
    ['context', `about ${agent.contextTokens} tokens`],
    ['inbox', agent.inboxCount],
    ['last record', agent.lastSequence],
    ['created', toTime(agent.createdAt)],
    ['updated', toTime(agent.updatedAt)],
    ['last message from a person', toTime(agent.lastUserActivityAt)],
  ];
}

/** Waiting takes precedence, because it matters more to a person than whether the agent is awake. */
function stateOf({ lifecycle, waiting }: Agent): string {
  return toWait(waiting) || toWord(AgentLifecycle, lifecycle);
}

function kindOf(descriptor: Descriptor | undefined): string {
  return descriptor?.kind?.$case ?? '';
}
