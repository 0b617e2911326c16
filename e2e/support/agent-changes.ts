import type { Actor } from './agent-cast';
import { historyOf, post, summaryOf, type Runtime } from './agent-stack';
import type { Person } from './people';
import { untilAnswered } from './social-stack';
import type { TrappedRuntime } from './trapped-runtime';

/** What agents have recorded, by their labels. */
export type Histories = Readonly<Record<string, readonly string[]>>;

/** People for whom everything has happened but the change. */
export interface Scene {
  /** May be repeated with the same request id. */
  readonly call: (requestId: string) => Promise<object>;
  readonly histories: () => Promise<Histories>;
  /** What the histories are in the end. */
  readonly outcome: Histories;
}

export interface AgentChange {
  readonly title: string;
  /** The steps that store or send something. */
  readonly deeds: readonly string[];
  /** Further ones, which run through the same code as in another change or in social-graph. */
  readonly repeats?: readonly string[];
  readonly prepare: (worker: TrappedRuntime) => Promise<Scene>;
}

const desk = 'cli:me#desk';
const phone = 'cli:me#phone';
const gateway = 'Helper';
const wrapped = (origin: string, text: string): string =>
  `<system_message origin="${origin}">${text}</system_message>`;

const firstMessage: AgentChange = {
  title: 'the first message of a channel makes an agent, and is answered once',
  deeds: [
    ...['findAndModify agents', 'update inbox', 'update agents'],
    ...['insert history', 'insert history (2)', 'insert history (3)', 'update inbox (2)'],
  ],
  async prepare({ people, runtime }) {
    const ada = await people.newPerson();
    return {
      call: (requestId) => runtime.postMessage(post('hello', 'desk', requestId), ada.as),
      histories: () => historiesOf(runtime, ada),
      outcome: { [desk]: ['start', 'person: hello', 'agent: You said: hello'] },
    };
  },
};

/** A person's message to an agent that it has talked with before. */
export const nextMessage: AgentChange = {
  title: 'the next message of a channel is answered once',
  deeds: ['update inbox', 'update agents'],
  repeats: ['insert history', 'insert history (2)', 'update inbox (2)'],
  async prepare(worker) {
    const { runtime } = worker;
    const { ada, before } = await meetAda(worker, ['desk']);
    return {
      call: (requestId) => runtime.postMessage(post('and again', 'desk', requestId), ada.as),
      histories: () => historiesOf(runtime, ada),
      outcome: { [desk]: [...before[desk]!, 'person: and again', 'agent: You said: and again'] },
    };
  },
};

const reset: AgentChange = {
  title: 'a reset is recorded once',
  deeds: ['update inbox', 'insert history'],
  repeats: ['update agents', 'update inbox (2)'],
  async prepare(worker) {
    const { runtime } = worker;
    const { ada, agents, before } = await meetAda(worker, ['desk']);
    const request = { agentId: agents[0]!.id, message: 'Anew' };
    return {
      call: (requestId) => runtime.resetAgent({ requestId, ...request }, ada.as),
      histories: () => historiesOf(runtime, ada),
      outcome: { [desk]: [...before[desk]!, 'reset: Anew'] },
    };
  },
};

const acrossUsers: AgentChange = {
  title: 'what an agent writes to the gateway of a subuser is heard and answered there once',
  deeds: [
    ...['insert outbox', 'publish', 'update contacts', 'update agents', 'update inbox'],
    ...['send receipt', 'acknowledge', 'delete outbox'],
  ],
  repeats: [
    ...['update outbox', 'update outbox_receipts'],
    ...['insert history', 'insert history (2)', 'update inbox (2)'],
  ],
  async prepare(worker) {
    const { people, cast, runtime } = worker;
    const { ada, agents, before } = await meetAda(worker, ['desk']);
    const { id: from, as } = agents[0]!;
    const helper = await people.newSubuser(ada);
    const { id: agentId } = await cast.gateway(helper);
    const text = 'Bake a cake';
    return {
      call: (requestId) => runtime.sendAgentMessage({ requestId, agentId, text }, as),
      histories: async () => ({
        ...(await historiesOf(runtime, ada)),
        ...(await historiesOf(runtime, ada, helper.id)),
      }),
      outcome: {
        ...before,
        [gateway]: ['start', `${from}: ${text}`, `agent: You said: ${wrapped(from, text)}`],
      },
    };
  },
};

const fromFriend: AgentChange = {
  title: 'what a friend writes is answered once by one agent and heard once by the other',
  deeds: [
    ...['findAndModify mailboxes', 'findAndModify mailboxes (2)', 'update inbox'],
    ...['update mailboxes', 'insert history', 'insert history (2)', 'update inbox (2)'],
  ],
  repeats: [
    'update agents',
    'insert history (3)',
    'update inbox (3)',
    'send receipt',
    'acknowledge',
  ],
  async prepare(worker) {
    const { people, cast, runtime } = worker;
    const bob = await people.newPerson();
    const { ada, before } = await meetAda(worker, ['desk', 'phone'], bob);
    const [from, message] = [`friend:${bob.nametag}`, 'Dinner?'];
    const answer = `agent: You said: ${wrapped(from, message)}`;
    const request = { nametag: ada.nametag, message };
    return {
      call: (requestId) => cast.graph.sendFriendMessage({ requestId, ...request }, bob.as),
      histories: () => historiesOf(runtime, ada),
      outcome: {
        [desk]: [...before[desk]!, `${from} (silent): ${message}`],
        [phone]: [...before[phone]!, `${from}: ${message}`, answer],
      },
    };
  },
};

const throughTool: AgentChange = {
  title: 'a tool that an agent was told to use takes effect once, and the history is whole',
  deeds: ['insert history (2)', 'insert history (3)', 'insert history (4)'],
  repeats: [
    ...['update inbox', 'update inbox (2)', 'update inbox (3)', 'update inbox (4)'],
    ...['update agents', 'update agents (2)', 'insert history'],
    ...['insert history (5)', 'insert history (6)'],
    ...['findAndModify mailboxes', 'findAndModify mailboxes (2)', 'update mailboxes'],
    ...['send receipt', 'acknowledge'],
  ],
  async prepare(worker) {
    const { people, cast, runtime, settled } = worker;
    const bob = await people.newPerson();
    const { ada, before } = await meetAda(worker, ['desk'], bob);
    await cast.foreground(bob, 'phone');
    await settled();
    const bobs = await historiesOf(runtime, bob);
    const [from, message] = [`friend:${ada.nametag}`, 'Dinner?'];
    const command = `/friend_send ${JSON.stringify({ nametag: bob.nametag, message })}`;
    const answer = `agent: You said: ${wrapped(from, message)}`;
    return {
      call: (requestId) => runtime.postMessage(post(command, 'desk', requestId), ada.as),
      histories: async () => {
        const { [desk]: hers = [] } = await historiesOf(runtime, ada);
        const shortened = hers.map((line) => line.replace(/^(agent: friend_send): .*/, '$1'));
        return { [desk]: shortened, ...(await historiesOf(runtime, bob)) };
      },
      outcome: {
        [desk]: [
          ...before[desk]!,
          ...[`person: ${command}`, 'agent: ', 'toolResult', 'agent: friend_send'],
        ],
        [phone]: [...bobs[phone]!, `${from}: ${message}`, answer],
      },
    };
  },
};

export const agentChanges: readonly AgentChange[] = [
  firstMessage,
  nextMessage,
  acrossUsers,
  fromFriend,
  throughTool,
  reset,
];

/** A person who has said hello to an agent in each of these channels, the last one most recently. */
async function meetAda(
  { people, cast, runtime, settled }: TrappedRuntime,
  channels: readonly string[],
  friend?: Person,
): Promise<{ ada: Person; agents: readonly Actor[]; before: Histories }> {
  const ada = await people.newPerson();
  if (friend) await cast.befriend(friend, ada);
  await settled();
  const agents: Actor[] = [];
  for (const channel of channels) agents.push(await cast.foreground(ada, channel));
  await settled();
  return { ada, agents, before: await historiesOf(runtime, ada) };
}

async function historiesOf(runtime: Runtime, person: Person, subuserId = ''): Promise<Histories> {
  const all = { pageSize: 0, pageToken: '', kinds: [], includeDead: true, subuserId };
  const { agents } = await untilAnswered(() => runtime.listAgents(all, person.as));
  const histories = agents.map(async ({ id, label }): Promise<[string, readonly string[]]> => {
    const records = await untilAnswered(() => historyOf(runtime, person, id));
    return [label, records.map(summaryOf)];
  });
  return Object.fromEntries(await Promise.all(histories));
}
