import { expect } from '@jest/globals';
import type { Actor } from '../people/agents';
import { historyOf, post, summaryOf } from '../people/history';
import type { Runtime } from '../clients/clients';
import { untilAnswered } from '../stack/until-answered';
import type { Person } from '../people/people';
import type { TrappedRuntime } from './trapped-runtime';

/**
 * The history of each agent, one line per record, under the agent's label. Some changes add other state that must
 * match, under keys such as `grants` or `runs`.
 */
export type Histories = Readonly<Record<string, readonly string[]>>;

/** A change with its own people, ready to be made and checked. */
export interface Scene {
  /** May be retried with the same request id. */
  readonly call: (requestId: string) => Promise<object>;
  readonly histories: () => Promise<Histories>;
  /** The expected histories after the change. */
  readonly outcome: Histories;
}

export interface AgentChange {
  readonly title: string;
  /** Steps that store or send something. The service is killed before each, and after the last to each server. */
  readonly writes: readonly string[];
  /** Other steps; the service is not killed there, because another change or another story covers the same code. */
  readonly coveredElsewhere?: readonly string[];
  readonly prepare: (worker: TrappedRuntime) => Promise<Scene>;
}

const desk = 'cli:me#desk';
const phone = 'cli:me#phone';
const gateway = 'Helper';
const echoed = (origin: string, text: string): string => `${origin} said: ${text}`;

const firstMessage: AgentChange = {
  title: 'the first message in a channel creates an agent and is answered once',
  writes: [
    ...['findAndModify agents', 'insert inbox', 'update agents'],
    ...['insert history', 'insert history (2)', 'insert history (3)', 'update inbox'],
  ],
  async prepare({ stack }) {
    const { people, runtime } = stack;
    const ada = await people.newPerson();
    return {
      call: (requestId) => runtime.postMessage(post('hello', 'desk', requestId), ada.as),
      histories: () => historiesOf(runtime, ada),
      outcome: { [desk]: ['start', 'person: hello', 'agent: You said: hello'] },
    };
  },
};

/** A person's message to an agent that they have talked to before. */
export const nextMessage: AgentChange = {
  title: 'the next message in a channel is answered once',
  writes: ['insert inbox', 'insert history'],
  coveredElsewhere: ['insert history (2)', 'update inbox'],
  async prepare(worker) {
    const { runtime } = worker.stack;
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
  writes: ['insert inbox', 'insert history'],
  coveredElsewhere: ['update inbox'],
  async prepare(worker) {
    const { runtime } = worker.stack;
    const { ada, agents, before } = await meetAda(worker, ['desk']);
    const request = { agentId: agents[0]!.id, message: 'Anew' };
    return {
      call: (requestId) => runtime.resetAgent({ requestId, ...request }, ada.as),
      histories: () => historiesOf(runtime, ada),
      outcome: { [desk]: [...before[desk]!, 'reset: Anew'] },
    };
  },
};

const messageAcrossUsers: AgentChange = {
  title: 'an agent’s message to a subuser’s gateway is received and answered once',
  // social-graph accepts the message, so agent-runtime writes nothing when it is sent.
  writes: [...['insert contacts', 'update agents', 'insert inbox', 'send receipt', 'acknowledge']],
  // Messages that arrive together are acknowledged together.
  coveredElsewhere: ['insert history', 'insert history (2)', 'update inbox', 'acknowledge (2)'],
  async prepare(worker) {
    const { stack } = worker;
    const { people, runtime } = stack;
    const { ada, agents, before } = await meetAda(worker, ['desk']);
    const { id: from, as } = agents[0]!;
    const helper = await people.newSubuser(ada);
    const { id: agentId } = await stack.agents.gateway(helper);
    const text = 'Bake a cake';
    return {
      call: (requestId) => runtime.sendAgentMessage({ requestId, agentId, text }, as),
      histories: async () => ({
        ...(await historiesOf(runtime, ada)),
        ...(await historiesOf(runtime, ada, helper.id)),
      }),
      outcome: {
        ...before,
        [gateway]: ['start', `${from}: ${text}`, `agent: ${echoed(from, text)}`],
      },
    };
  },
};

const friendMessage: AgentChange = {
  title: 'a friend message is answered once by one agent and recorded once by the other',
  // Both agents share one inbox row. Removing the first of them from it takes two updates, removing the last takes one.
  writes: [
    ...['insert inbox', 'insert history'],
    ...['update inbox', 'update inbox (2)', 'update inbox (3)'],
  ],
  coveredElsewhere: ['insert history (2)', 'insert history (3)', 'send receipt', 'acknowledge'],
  async prepare(worker) {
    const { stack } = worker;
    const { people, runtime } = stack;
    const bob = await people.newPerson();
    const { ada, before } = await meetAda(worker, ['desk', 'phone'], bob);
    const [from, message] = [`friend:${bob.nametag}`, 'Dinner?'];
    const answer = `agent: ${echoed(from, message)}`;
    const request = { nametag: ada.nametag, message };
    return {
      call: (requestId) => stack.graph.sendFriendMessage({ requestId, ...request }, bob.as),
      histories: () => historiesOf(runtime, ada),
      outcome: {
        [desk]: [...before[desk]!, `${from} (silent): ${message}`],
        [phone]: [...before[phone]!, `${from}: ${message}`, answer],
      },
    };
  },
};

const waitingMessages: AgentChange = {
  title:
    'messages that waited for a user’s first agent, and the first message to it, are answered once, in order within each lane',
  writes: ['findAndModify agents', 'update inbox', 'insert inbox'],
  coveredElsewhere: [
    ...['update inbox (2)', 'update inbox (3)', 'update inbox (4)', 'update inbox (5)'],
    'insert history',
    ...[2, 3, 4, 5, 6, 7, 8, 9].map((count) => `insert history (${count})`),
  ],
  async prepare({ stack, settled }) {
    const { people, runtime } = stack;
    const [bob, ada] = await people.newFriends();
    const [from, message] = [`friend:${bob.nametag}`, 'Dinner?'];
    await people.message(bob, ada, message);
    await settled();
    const friendRequestLine = (start: string): string =>
      expect.stringMatching(new RegExp(`^${start}.*${bob.nametag} wants to be`)) as never;
    return {
      call: (requestId) => runtime.postMessage(post('hello', 'desk', requestId), ada.as),
      histories: async () => {
        const { [desk]: adasLines = [], ...otherHistories } = await historiesOf(runtime, ada);
        return { ...otherHistories, [desk]: personFirst(adasLines) };
      },
      outcome: {
        [desk]: [
          'start',
          ...['person: hello', 'agent: You said: hello'],
          ...[friendRequestLine(`${from}: `), friendRequestLine(`agent: ${from} said: `)],
          ...[`${from}: ${message}`, `agent: ${echoed(from, message)}`],
        ],
      },
    };
  },
};

/**
 * Puts the person's turns before all others. A person's message overtakes waiting items but not a turn in progress, and
 * whether a turn is in progress when the message arrives depends on the time of the crash.
 */
function personFirst([start = 'nothing', ...lines]: readonly string[]): string[] {
  const turns: string[][] = [];
  for (const line of lines) {
    if (line.startsWith('agent: ')) turns.at(-1)?.push(line);
    else turns.push([line]);
  }
  const isPersonsTurn = ([first]: string[]): boolean => first!.startsWith('person: ');
  const otherTurns = turns.filter((turn) => !isPersonsTurn(turn));
  return [start, ...turns.filter(isPersonsTurn).flat(), ...otherTurns.flat()];
}

const toolCall: AgentChange = {
  title: 'a tool call takes effect once, and the history is complete',
  // Agents that run at the same time may store their entries in one insert, so only these inserts occur in every run.
  writes: ['insert history (2)', 'insert history (3)'],
  coveredElsewhere: [
    ...['insert inbox', 'insert inbox (2)', 'update inbox', 'update inbox (2)'],
    ...['insert history', 'insert history (4)'],
    ...['insert history (5)', 'insert history (6)'],
    ...['send receipt', 'acknowledge'],
  ],
  async prepare(worker) {
    const { stack, settled } = worker;
    const { people, runtime } = stack;
    const bob = await people.newPerson();
    const { ada, before } = await meetAda(worker, ['desk'], bob);
    await stack.agents.foreground(bob, 'phone');
    await settled();
    const bobsHistories = await historiesOf(runtime, bob);
    const [from, message] = [`friend:${ada.nametag}`, 'Dinner?'];
    const command = `/friend_send ${JSON.stringify({ nametag: bob.nametag, message })}`;
    const answer = `agent: ${echoed(from, message)}`;
    return {
      call: (requestId) => runtime.postMessage(post(command, 'desk', requestId), ada.as),
      histories: async () => {
        const { [desk]: adasLines = [] } = await historiesOf(runtime, ada);
        const shortened = adasLines.map((line) => line.replace(/^(agent: friend_send): .*/, '$1'));
        return { [desk]: shortened, ...(await historiesOf(runtime, bob)) };
      },
      outcome: {
        [desk]: [
          ...before[desk]!,
          ...[`person: ${command}`, 'agent: ', 'toolResult', 'agent: friend_send'],
        ],
        [phone]: [...bobsHistories[phone]!, `${from}: ${message}`, answer],
      },
    };
  },
};

export const agentChanges: readonly AgentChange[] = [
  firstMessage,
  nextMessage,
  messageAcrossUsers,
  friendMessage,
  waitingMessages,
  toolCall,
  reset,
];

/** Creates a person with an agent in each of these channels; the last channel is the most recently used. */
export async function meetAda(
  { stack, settled }: TrappedRuntime,
  channels: readonly string[],
  friend?: Person,
): Promise<{ ada: Person; agents: readonly Actor[]; before: Histories }> {
  const { people, runtime } = stack;
  const ada = await people.newPerson();
  if (friend) await people.befriend(friend, ada);
  await settled();
  const agents: Actor[] = [];
  for (const channel of channels) agents.push(await stack.agents.foreground(ada, channel));
  await settled();
  return { ada, agents, before: await historiesOf(runtime, ada) };
}

export async function historiesOf(
  runtime: Runtime,
  person: Person,
  subuserId = '',
): Promise<Histories> {
  const all = { pageSize: 0, pageToken: '', kinds: [], includeDead: true, subuserId };
  const { agents } = await untilAnswered(() => runtime.listAgents(all, person.as));
  const histories = agents.map(async ({ id, label }): Promise<[string, readonly string[]]> => {
    const records = await untilAnswered(() => historyOf(runtime, person, id));
    return [label, records.map(summaryOf)];
  });
  return Object.fromEntries(await Promise.all(histories));
}
