import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createId } from '@paralleldrive/cuid2';
import { eventually } from '@daycare/testing';
import type { Actor, AgentCast } from './agent-cast';
import { historyOf, summaryOf, type AgentStack } from './agent-stack';
import type { Person } from './people';
import { untilAnswered } from './social-stack';

export const trapped = ['identity', 'social-graph', 'agent-runtime'] as const;
export type Trapped = (typeof trapped)[number];

/** Where a subuser is made or deleted. */
export interface Place extends AgentStack {
  readonly cast: AgentCast;
}

export interface SubuserScene {
  /** May be repeated with the same request id. */
  readonly call: (requestId: string) => Promise<object>;
  /** Resolves when all is as it should be afterwards. */
  readonly seeOutcome: () => Promise<unknown>;
}

export interface SubuserChange {
  readonly title: string;
  /** The steps of each service that store or send something of it; none where it takes no part. */
  readonly deeds: Readonly<Record<Trapped, readonly string[]>>;
  /**
   * Further ones: part of a transaction or done at the same moment as a deed, or by code that other
   * kill points are about.
   */
  readonly alike: Readonly<Record<Trapped, readonly string[]>>;
  readonly prepare: (place: Place) => Promise<SubuserScene>;
}

/** Each look asks a lot, of processes that have just been started. */
const patience = { timeoutMs: 30_000, intervalMs: 250 };
const folders = ['.drafts', 'apps', 'home', 'memory', 'skills'];
const wish = { name: 'Cook', systemPrompt: 'Cook well.', description: 'Cooks' };
/** Everything in agent-runtime's database that is of a user. */
const collections = [
  ...['agents', 'inbox', 'history', 'mailboxes', 'contacts', 'dead_letters', 'permissions'],
  ...['crons', 'heartbeats', 'heartbeat_batches', 'homes', 'files.files', 'sandbox_runs'],
];

/** What the relay of an outbox does once its rows are stored. */
const relay = ['update outbox', 'update outbox_receipts', 'delete outbox'];

async function run(
  { cast }: Place,
  { id: agentId, as }: Actor,
  [name, args]: readonly [name: string, args: object],
  requestId = createId(),
): Promise<Record<string, string>> {
  const request = { requestId, agentId, name, argumentsJson: JSON.stringify(args) };
  const { resultJson } = await cast.runtime.callTool(request, as);
  return JSON.parse(resultJson) as Record<string, string>;
}

/** Nothing is under way that would be mixed up with the change. */
const seeQuiet = ({ db }: Place): Promise<unknown> =>
  eventually(
    async () => (await db.collection('inbox').countDocuments({ waiting: true })) === 0,
    patience,
  );

const homesOf = ({ stack }: Place): Promise<string[]> =>
  readdir(stack.usersDir).catch((): string[] => []);

async function subusersOf(place: Place, actor: Actor): Promise<string> {
  const { summary } = await untilAnswered(() => run(place, actor, ['subuser_list', {}]));
  return summary!;
}

/** Made as a whole: one user, one living gateway, one home tree. */
const created: SubuserChange = {
  title: 'creating a subuser leaves one that is whole',
  deeds: {
    identity: ['commitTransaction'],
    'social-graph': [],
    'agent-runtime': ['findAndModify agents', 'insert history'],
  },
  alike: {
    identity: ['update users', 'insert users'],
    'social-graph': [],
    'agent-runtime': [],
  },
  async prepare(place) {
    const ada = await place.people.newPerson();
    const agent = await place.cast.foreground(ada);
    await seeQuiet(place);
    const before = new Set(await homesOf(place));
    return {
      call: (requestId) => run(place, agent, ['subuser_create', wish], requestId),
      async seeOutcome() {
        const lines = (await subusersOf(place, agent)).split('\n');
        if (lines.length !== 1) throw new Error(`there are ${lines.length} subusers`);
        const [, subuserId, gatewayId] =
          /^(\w+) name="Cook" .* gateway=(\w+)/.exec(lines[0]!) ?? [];
        const own = place.db.collection('agents').find({ userId: subuserId });
        const gateways = (await own.toArray()).map(({ _id }) => String(_id));
        if (gateways.join() !== gatewayId) throw new Error(`gateways: ${gateways.join()}`);
        const made = (await homesOf(place)).filter((home) => !before.has(home));
        if (made.join() !== subuserId) throw new Error(`homes: ${made.join()}`);
        const tree = await readdir(join(place.stack.usersDir, subuserId));
        if (tree.sort().join() !== folders.join()) throw new Error(`home: ${tree.join()}`);
      },
    };
  },
};

/** Gone as a whole, and the friend it was shared with has heard so once. */
const deleted: SubuserChange = {
  title: 'deleting a subuser leaves nothing of it, and its friends hear of it once',
  deeds: {
    identity: ['commitTransaction', 'delete sessions', 'publish'],
    'social-graph': ['update gone_users', 'commitTransaction'],
    'agent-runtime': ['update gone_users', 'update agents', 'delete history', 'acknowledge'],
  },
  alike: {
    identity: [
      ...relay,
      ...['update users', 'delete connector_keys', 'update revocations', 'insert outbox'],
    ],
    'social-graph': [
      ...relay,
      ...['update ties', 'insert outbox', 'publish', 'acknowledge', 'send receipt'],
    ],
    'agent-runtime': [
      ...['delete homes', 'delete crons'],
      ...['delete inbox', 'delete mailboxes', 'delete contacts', 'delete dead_letters'],
      ...['delete permissions', 'delete sandbox_runs', 'delete heartbeat_batches'],
      ...['delete heartbeats', 'delete files.files', 'delete files.chunks'],
      // What the friend hears, and its agent's turn.
      ...['findAndModify mailboxes', 'update mailboxes', 'update inbox', 'insert history'],
      'send receipt',
    ],
  },
  async prepare(place) {
    const { ada, bob, agent, friend } = await friendsAt(place);
    const { subuserId, nametag } = await equip(place, agent, ada, bob);
    return {
      call: (requestId) => run(place, agent, ['subuser_delete', { subuserId }], requestId),
      seeOutcome: () =>
        eventually(async () => {
          await seeNothingLeft(place, agent, subuserId!);
          await seeToldOnce(place, bob, friend, nametag!);
          return true;
        }, patience),
    };
  },
};

interface Friends {
  readonly ada: Person;
  readonly bob: Person;
  readonly agent: Actor;
  readonly friend: Actor;
}

const known = new WeakMap<object, Promise<Friends>>();

/** The same two at each place, whatever they have been through there. */
function friendsAt(place: Place): Promise<Friends> {
  const friends = known.get(place.db) ?? meet(place);
  known.set(place.db, friends);
  return friends;
}

async function meet({ people, cast }: Place): Promise<Friends> {
  const [ada, bob] = await Promise.all([people.newPerson(), people.newPerson()]);
  const [agent, friend] = await Promise.all([cast.foreground(ada), cast.foreground(bob)]);
  await cast.befriend(ada, bob);
  return { ada, bob, agent, friend };
}

/** A subuser with a gateway, files, memory, schedules and a friend who uses it. */
async function equip(place: Place, agent: Actor, ada: Person, bob: Person) {
  const made = await run(place, agent, ['subuser_create', wish]);
  const { subuserId, gatewayAgentId, nametag } = made;
  const as = await place.people.signIn(subuserId!, gatewayAgentId);
  const gateway = { id: gatewayAgentId!, userId: subuserId!, as };
  await run(place, gateway, ['file_write', { path: 'home/cake.txt', content: 'Sweet' }]);
  await run(place, gateway, ['memory_write', { title: 'Cake', content: 'Sweet' }]);
  const yearly = { name: 'bake', schedule: '0 0 1 1 *', prompt: 'Bake' };
  await run(place, gateway, ['cron_add', yearly]);
  await run(place, gateway, ['heartbeat_add', { title: 'oven', prompt: 'Look' }]);
  const user = { ...ada, id: subuserId!, nametag: nametag! };
  await place.cast.share(ada, bob, user);
  await place.cast.accept(bob, user);
  await place.cast.tell(bob, user, 'A cake, please');
  await eventually(async () => {
    const records = await historyOf(place.cast.runtime, ada, gateway.id);
    return records.some(({ record }) => record?.$case === 'assistantMessage');
  }, patience);
  await seeQuiet(place);
  return { subuserId, nametag };
}

async function seeNothingLeft(place: Place, agent: Actor, subuserId: string): Promise<void> {
  const summary = await subusersOf(place, agent);
  if (summary.includes(subuserId)) throw new Error('identity knows it');
  for (const name of collections) {
    const alive = { userId: subuserId, diedAt: { $exists: false } };
    const left = await place.db.collection(name).countDocuments({
      $or: [alive, { _id: subuserId as never }],
    });
    if (left > 0) throw new Error(`${left} in ${name}`);
  }
  if ((await homesOf(place)).includes(subuserId)) throw new Error('its home is there');
}

async function seeToldOnce(
  { cast }: Place,
  bob: Person,
  { id }: Actor,
  nametag: string,
): Promise<void> {
  const friends = await untilAnswered(() =>
    cast.graph.listFriends({ pageSize: 0, pageToken: '' }, bob.as),
  );
  if (friends.friends.some(({ sharesIn }) => sharesIn.length > 0)) throw new Error('still shared');
  const records = await untilAnswered(() => historyOf(cast.runtime, bob, id));
  const notices = records
    .map(summaryOf)
    .filter((line) => line.startsWith('friend:') && line.includes(nametag));
  // The offer, and its end.
  if (notices.length !== 2) throw new Error(`heard ${JSON.stringify(notices)}`);
}

export const subuserChanges: readonly SubuserChange[] = [created, deleted];
