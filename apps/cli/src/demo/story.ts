/** The two people of the story. */
export const people = ['Ada', 'Bob'] as const;
export type PersonName = (typeof people)[number];

/** Who hears of a step: a person's agent, or the gateway of Ada's subuser. */
export type ListenerName = PersonName | 'helper';

/** What is known so far and later steps need: nametags, ids of agents and of the subuser. */
export type Facts = Readonly<Record<string, string>>;

export interface Hearing {
  readonly who: ListenerName;
  readonly origin: (facts: Facts) => string;
  /** Words that must be in the text. */
  readonly about: (facts: Facts) => readonly string[];
}

/** One thing that a person has their agent do, and what must come of it. */
export interface Step {
  readonly title: string;
  readonly who: PersonName;
  readonly tool: string;
  readonly args: (facts: Facts) => object;
  /** Fields that the result must have, or the code with which it must be refused. */
  readonly gives: Readonly<Record<string, string>> & { readonly refusal?: string };
  /** Fields of the result that become facts, by the name of the fact. */
  readonly learns?: Readonly<Record<string, string>>;
  readonly hears?: Hearing;
}

const fact = (facts: Facts, name: string): string => facts[name] ?? '';
const shareOf = (facts: Facts) => ({
  friendNametag: fact(facts, 'Bob'),
  subuserId: fact(facts, 'helperId'),
});
const friendOf = (who: PersonName) => (facts: Facts) => `friend:${fact(facts, who)}`;

const friendship: readonly Step[] = [
  {
    title: 'Ada asks Bob to be friends',
    who: 'Ada',
    tool: 'friend_add',
    args: (facts) => ({ nametag: fact(facts, 'Bob') }),
    gives: { status: 'pending_out' },
    hears: {
      who: 'Bob',
      origin: friendOf('Ada'),
      about: (facts) => ['friend_add', fact(facts, 'Ada')],
    },
  },
  {
    title: 'Bob accepts',
    who: 'Bob',
    tool: 'friend_add',
    args: (facts) => ({ nametag: fact(facts, 'Ada') }),
    gives: { status: 'friends' },
    hears: { who: 'Ada', origin: friendOf('Bob'), about: (facts) => [fact(facts, 'Bob')] },
  },
  {
    title: 'Ada writes to Bob',
    who: 'Ada',
    tool: 'friend_send',
    args: (facts) => ({ nametag: fact(facts, 'Bob'), message: 'Hi Bob, shall I share my helper?' }),
    gives: {},
    hears: { who: 'Bob', origin: friendOf('Ada'), about: () => ['shall I share my helper?'] },
  },
];

const sharing: readonly Step[] = [
  {
    title: 'Ada fences an application off into a subuser',
    who: 'Ada',
    tool: 'subuser_create',
    args: () => ({
      name: 'helper',
      systemPrompt: 'You help with recipes.',
      description: 'Recipes',
    }),
    gives: { name: 'helper' },
    learns: { helper: 'nametag', helperId: 'subuserId', helperGateway: 'gatewayAgentId' },
  },
  {
    title: 'Ada offers it to Bob',
    who: 'Ada',
    tool: 'friend_share_subuser',
    args: shareOf,
    gives: { status: 'pending' },
    hears: {
      who: 'Bob',
      origin: friendOf('Ada'),
      about: (facts) => ['helper', fact(facts, 'helper')],
    },
  },
  {
    title: 'Bob accepts the offer',
    who: 'Bob',
    tool: 'friend_add',
    args: (facts) => ({ nametag: fact(facts, 'helper') }),
    gives: { status: 'active' },
    hears: { who: 'Ada', origin: friendOf('Bob'), about: (facts) => [fact(facts, 'helper')] },
  },
  {
    title: 'Bob writes to the subuser by its nametag',
    who: 'Bob',
    tool: 'friend_send',
    args: (facts) => ({ nametag: fact(facts, 'helper'), message: 'Hello, I am Bob.' }),
    gives: {},
    hears: { who: 'helper', origin: friendOf('Bob'), about: () => ['I am Bob.'] },
  },
  {
    title: 'Bob asks the gateway agent, which may reply to his',
    who: 'Bob',
    tool: 'send_agent_message',
    args: (facts) => ({ agentId: fact(facts, 'helperGateway'), text: 'Any idea for dinner?' }),
    gives: {},
    hears: {
      who: 'helper',
      origin: (facts) => fact(facts, 'BobAgent'),
      about: () => ['Any idea for dinner?'],
    },
  },
  {
    // The local model acts on its owner's orders only; any other would answer by itself.
    title: 'The gateway replies, as Ada has it do',
    who: 'Ada',
    tool: 'send_agent_message',
    args: (facts) => ({
      agentId: fact(facts, 'helperGateway'),
      text: `/send_agent_message ${JSON.stringify({ agentId: fact(facts, 'BobAgent'), text: 'Dumplings!' })}`,
    }),
    gives: {},
    hears: {
      who: 'Bob',
      origin: (facts) => fact(facts, 'helperGateway'),
      about: () => ['Dumplings!'],
    },
  },
];

const parting: readonly Step[] = [
  {
    title: 'Ada revokes the share',
    who: 'Ada',
    tool: 'friend_unshare_subuser',
    args: shareOf,
    gives: { status: 'removed' },
    hears: { who: 'Bob', origin: friendOf('Ada'), about: (facts) => [fact(facts, 'helper')] },
  },
  {
    title: 'From then on Bob cannot reach the subuser',
    who: 'Bob',
    tool: 'friend_send',
    args: (facts) => ({ nametag: fact(facts, 'helper'), message: 'Still there?' }),
    gives: { refusal: 'NOT_FOUND' },
  },
  {
    title: 'Ada ends the friendship',
    who: 'Ada',
    tool: 'friend_remove',
    args: (facts) => ({ nametag: fact(facts, 'Bob') }),
    gives: { status: 'removed' },
    hears: { who: 'Bob', origin: friendOf('Ada'), about: (facts) => [fact(facts, 'Ada')] },
  },
];

/** Two people become friends, share a subuser, use it, and part. */
export const story: readonly Step[] = [...friendship, ...sharing, ...parting];
