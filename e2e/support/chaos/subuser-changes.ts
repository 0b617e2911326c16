import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createId } from '@daycare/api/create-id';
import type { Document, Filter } from 'mongodb';
import { BudgetPeriod, UsageDimension } from '@daycare/contracts/agent-runtime';
import { eventually } from '@daycare/testing';
import type { Actor } from '../people/agents';
import { historyOf, summaryOf } from '../people/history';
import type { Stack } from '../stack/stack';
import { untilAnswered } from '../stack/until-answered';
import type { Person } from '../people/people';
import type { CrashScene } from './kill-points';
import { waitingItems } from '../stack/inbox-filters';

export const killableServices = ['identity', 'social-graph', 'agent-runtime'] as const;
export type KillableService = (typeof killableServices)[number];

export interface SubuserChange {
  readonly title: string;
  /**
   * Steps of each service that store or send parts of the change. The service is killed before each of them, and after
   * the last one to each server.
   */
  readonly writes: Readonly<Record<KillableService, readonly string[]>>;
  /** Steps at which no service is killed: part of a transaction, concurrent with a write, or covered elsewhere. */
  readonly otherSteps: Readonly<Record<KillableService, readonly string[]>>;
  readonly prepare: (stack: Stack) => Promise<CrashScene>;
}

/** For checks that are slow because they make many calls to processes that have just started. */
const longPoll = { timeoutMs: 60_000, intervalMs: 250 };
const folders = ['.drafts', 'apps', 'home', 'memory', 'skills'];
const cook = { name: 'Cook', systemPrompt: 'Cook well.', description: 'Cooks' };
/** The agent-runtime collections in which nothing of a deleted subuser may remain, except its dead agents. */
const collections = [
  ...['agents', 'inbox', 'history', 'contacts', 'dead_letters', 'permissions'],
  ...['crons', 'heartbeats', 'heartbeat_batches', 'homes', 'files.files', 'sandbox_runs'],
  ...['grants', 'tool_calls', 'guest_turns', 'spending_accounts', 'program_traces'],
  ...['closed_ties', 'file_provenance', 'model_choices'],
];

/** Steps of the outbox relay. */
const relay = ['update outbox'];

/** Waits until nothing is in flight that could be mistaken for part of the change. */
const whenIdle = ({ db }: Stack): Promise<unknown> =>
  eventually(
    async () => (await db('agent-runtime').collection('inbox').countDocuments(waitingItems)) === 0,
    longPoll,
  );

const homesOf = ({ usersDir }: Stack): Promise<string[]> =>
  readdir(usersDir).catch((): string[] => []);

async function subusersOf(stack: Stack, actor: Actor): Promise<string> {
  const { summary } = await untilAnswered(() => stack.agents.callTool(actor, 'subuser_list', {}));
  return summary!;
}

/** The outcome: one subuser, one gateway, one home tree. */
const creation: SubuserChange = {
  title: 'creating a subuser leaves exactly one complete subuser',
  writes: {
    identity: ['commitTransaction'],
    'social-graph': [],
    'agent-runtime': ['findAndModify agents', 'insert history', 'findAndModify tool_calls'],
  },
  otherSteps: {
    identity: ['update users', 'insert users', 'insert nametags', 'insert user_requests'],
    'social-graph': [],
    // Agents' activity is written with a delay.
    'agent-runtime': ['update agents'],
  },
  async prepare(stack) {
    const ada = await stack.people.newPerson();
    const agent = await stack.agents.foreground(ada);
    await whenIdle(stack);
    const before = new Set(await homesOf(stack));
    return {
      call: (requestId) => stack.agents.callTool(agent, 'subuser_create', cook, requestId),
      async expectOutcome() {
        const lines = (await subusersOf(stack, agent)).split('\n');
        if (lines.length !== 1) throw new Error(`there are ${lines.length} subusers`);
        const [, subuserId, gatewayId] =
          /^(\w+) name="Cook" .* gateway=(\w+)/.exec(lines[0]!) ?? [];
        const agents = stack.db('agent-runtime').collection('agents');
        const subuserAgents = agents.find({ ownerUserId: ada.id, userId: { $ne: ada.id } });
        const gateways = (await subuserAgents.toArray()).map(({ _id }) => String(_id));
        if (gateways.join() !== gatewayId) throw new Error(`gateways: ${gateways.join()}`);
        const newHomes = (await homesOf(stack)).filter((home) => !before.has(home));
        if (!newHomes.includes(subuserId!)) throw new Error(`homes: ${newHomes.join()}`);
        // A kill with several points creates several subusers at the same time; each of their homes has a gateway, too.
        const inhabited = await agents.distinct('userId', { userId: { $in: newHomes } });
        if (inhabited.length !== newHomes.length) throw new Error(`homes: ${newHomes.join()}`);
        const tree = await readdir(join(stack.usersDir, subuserId!));
        if (tree.sort().join() !== folders.join()) throw new Error(`home: ${tree.join()}`);
      },
    };
  },
};

/**
 * The outcome: only the subuser's usage and its dead agents remain, and the friend it was shared with has been notified
 * once.
 */
const deletion: SubuserChange = {
  title:
    'deleting a subuser leaves only its usage and its dead agents, and the friend it was shared with is notified once',
  writes: {
    identity: ['commitTransaction', 'delete sessions', 'publish'],
    'social-graph': ['update deleted_users', 'update ties', 'publish'],
    'agent-runtime': [
      ...['update deleted_users', 'update agents', 'delete history', 'acknowledge'],
      'findAndModify tool_calls',
    ],
  },
  otherSteps: {
    identity: [
      ...relay,
      ...['update users', 'delete connector_keys', 'insert outbox'],
      ...['findAndModify revocations_end', 'update revocations', 'delete user_requests'],
      // Deleted with the sessions; tokens and codes of a deleted user are refused anyway.
      ...['delete personal_tokens', 'delete sign_in_codes'],
    ],
    'social-graph': [...relay, ...['insert outbox', 'acknowledge', 'send receipt']],
    'agent-runtime': [
      ...['delete homes', 'delete crons'],
      ...['delete inbox', 'delete contacts', 'delete dead_letters'],
      ...['delete permissions', 'delete sandbox_runs', 'delete heartbeat_batches'],
      ...['delete heartbeats', 'delete files.files', 'delete files.chunks'],
      ...[
        'delete grants',
        'delete tool_calls',
        'delete model_choices',
        'delete guest_turns',
        'delete program_traces',
      ],
      ...['delete closed_ties', 'update closed_ties', 'delete file_provenance'],
      // The subuser's budgets and usage.
      ...[
        'delete spending_accounts',
        'update spending_accounts',
        'delete past_usage',
        'update homes',
      ],
      // The notice to the friend, and the turn of the friend's agent.
      ...['insert inbox', 'update inbox', 'insert history'],
      'send receipt',
    ],
  },
  async prepare(stack) {
    const { ada, bob, agent, bobsAgent } = await friendsAt(stack);
    const { subuserId, nametag } = await equip(stack, agent, ada, bob);
    return {
      call: (requestId) => stack.agents.callTool(agent, 'subuser_delete', { subuserId }, requestId),
      expectOutcome: () =>
        eventually(async () => {
          await expectNothingLeft(stack, agent, subuserId!);
          await expectUsageKept(stack, ada, subuserId!);
          await expectNotifiedOnce(stack, bob, bobsAgent, nametag!);
          return true;
        }, longPoll),
    };
  },
};

interface Friends {
  readonly ada: Person;
  readonly bob: Person;
  /** Ada's agent. */
  readonly agent: Actor;
  readonly bobsAgent: Actor;
}

const friendsOf = new WeakMap<Stack, Promise<Friends>>();

/** Returns the same two people for all changes on a stack. */
function friendsAt(stack: Stack): Promise<Friends> {
  const friends = friendsOf.get(stack) ?? meet(stack);
  friendsOf.set(stack, friends);
  return friends;
}

async function meet(stack: Stack): Promise<Friends> {
  const [ada, bob] = await stack.people.newPair();
  const [agent, bobsAgent] = await Promise.all([
    stack.agents.foreground(ada),
    stack.agents.foreground(bob),
  ]);
  await stack.people.befriend(ada, bob);
  return { ada, bob, agent, bobsAgent };
}

/** Creates a subuser with a gateway, files, memory, schedules, a budget and a friend who uses it. */
async function equip(stack: Stack, agent: Actor, ada: Person, bob: Person) {
  const created = await stack.agents.callTool(agent, 'subuser_create', cook);
  const { subuserId, gatewayAgentId, nametag } = created;
  const as = await stack.people.signIn(subuserId!, gatewayAgentId);
  const gateway = { id: gatewayAgentId!, userId: subuserId!, as };
  await stack.agents.callTool(gateway, 'file_write', { path: 'home/cake.txt', content: 'Sweet' });
  await stack.agents.callTool(gateway, 'memory_write', { title: 'Cake', content: 'Sweet' });
  const yearly = { name: 'bake', schedule: '0 0 1 1 *', prompt: 'Bake' };
  await stack.agents.callTool(gateway, 'cron_add', yearly);
  await stack.agents.callTool(gateway, 'heartbeat_add', { title: 'oven', prompt: 'Look' });
  const budget = { agentId: '', guests: false, period: BudgetPeriod.DAY, maxTokens: 1_000_000 };
  const set = { requestId: createId(), userId: subuserId!, ...budget };
  await stack.runtime.setBudget(set, ada.as);
  const user = { ...ada, id: subuserId!, nametag: nametag! };
  await stack.people.share(ada, bob, user);
  await stack.people.acceptShare(bob, user);
  await stack.people.message(bob, user, 'A cake, please');
  await eventually(async () => {
    const records = await historyOf(stack.runtime, ada, gateway.id);
    return records.some(({ record }) => record?.$case === 'assistantMessage');
  }, longPoll);
  await whenIdle(stack);
  return { subuserId, nametag };
}

async function expectNothingLeft(stack: Stack, agent: Actor, subuserId: string): Promise<void> {
  for (const name of collections) {
    const remaining = await stack
      .db('agent-runtime')
      .collection(name)
      .countDocuments(remainsFilter(subuserId));
    if (remaining > 0) throw new Error(`${remaining} in ${name}`);
  }
  if ((await homesOf(stack)).includes(subuserId))
    throw new Error('the home of the subuser still exists');
  // Last, because this check is the most expensive, and runs only when all the checks before it pass.
  const summary = await subusersOf(stack, agent);
  if (summary.includes(subuserId)) throw new Error('subuser_list still includes the subuser');
}

function remainsFilter(userId: string): Filter<Document> {
  const alive = { userId, diedAt: { $exists: false } };
  const ids = [userId, new RegExp(`^${userId}/`)];
  const references = [{ members: userId }, { readers: userId }, { 'budgets.scope.userId': userId }];
  return { $or: [alive, { _id: { $in: ids as never } }, ...references] };
}

/** Checks that the owner still sees the subuser's usage: one call, for the friend's message. */
async function expectUsageKept({ runtime }: Stack, ada: Person, userId: string): Promise<void> {
  const all = { userId: '', agentId: '', fromDay: '', toDay: '', pageSize: 0, pageToken: '' };
  const groupBy = [UsageDimension.USER];
  const { rows } = await untilAnswered(() => runtime.getUsage({ ...all, groupBy }, ada.as));
  const calls = rows.filter((row) => row.userId === userId).map((row) => row.calls);
  if (calls.join() !== '1') throw new Error(`calls: ${calls.join()}`);
}

async function expectNotifiedOnce(
  stack: Stack,
  bob: Person,
  { id }: Actor,
  nametag: string,
): Promise<void> {
  const friends = await untilAnswered(() =>
    stack.graph.listFriends({ pageSize: 0, pageToken: '' }, bob.as),
  );
  if (friends.friends.some(({ sharesIn }) => sharesIn.length > 0)) throw new Error('still shared');
  const records = await untilAnswered(() => historyOf(stack.runtime, bob, id));
  const notices = records
    .map(summaryOf)
    .filter((line) => line.startsWith('friend:') && line.includes(nametag));
  // The expected notices are the offer and its revocation.
  if (notices.length !== 2) throw new Error(`notices: ${JSON.stringify(notices)}`);
}

export const subuserChanges: readonly SubuserChange[] = [creation, deletion];
