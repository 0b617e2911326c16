/** The two people of the story. */
export const people = ['Ada', 'Bob'] as const;
export type PersonName = (typeof people)[number];

/** Who receives messages: a person's agent, or the gateway agent of Ada's subuser. */
export type ListenerName = PersonName | 'assistant';

/** Values that later steps need: nametags, and ids of agents and of the subuser. */
export type Facts = Readonly<Record<string, string>>;

/** The message that a step should cause. */
export interface ExpectedMessage {
  readonly to: ListenerName;
  readonly origin: (facts: Facts) => string;
  /** Phrases that the text must contain. */
  readonly contains: (facts: Facts) => readonly string[];
}

/** A tool call by a person's agent, and its expected outcome. */
export interface Step {
  readonly title: string;
  readonly who: PersonName;
  readonly tool: string;
  readonly args: (facts: Facts) => object;
  /** Fields that the result must have, or the error code it must have. */
  readonly expects: Readonly<Record<string, string>> & { readonly refusal?: string };
  /** The facts that the result adds: the name of each fact, and the result field that contains it. */
  readonly facts?: Readonly<Record<string, string>>;
  readonly delivers?: ExpectedMessage;
  /** The reply that the recipient should send on its own. */
  readonly answers?: ExpectedMessage;
}

const fact = (facts: Facts, name: string): string => facts[name] ?? '';
const shareOf = (facts: Facts) => ({
  friendNametag: fact(facts, 'Bob'),
  subuserId: fact(facts, 'assistantId'),
});
const friendOf = (who: PersonName) => (facts: Facts) => `friend:${fact(facts, who)}`;

const fromAssistant = (facts: Facts): string => `subuser:${fact(facts, 'assistant')}`;

const friendship: readonly Step[] = [
  {
    title: 'Ada sends Bob a friend request',
    who: 'Ada',
    tool: 'friend_add',
    args: (facts) => ({ nametag: fact(facts, 'Bob') }),
    expects: { status: 'pending_out' },
    delivers: {
      to: 'Bob',
      origin: friendOf('Ada'),
      contains: (facts) => ['friend_add', fact(facts, 'Ada')],
    },
  },
  {
    title: 'Bob accepts',
    who: 'Bob',
    tool: 'friend_add',
    args: (facts) => ({ nametag: fact(facts, 'Ada') }),
    expects: { status: 'friends' },
    delivers: { to: 'Ada', origin: friendOf('Bob'), contains: (facts) => [fact(facts, 'Bob')] },
  },
  {
    title: 'Ada writes to Bob',
    who: 'Ada',
    tool: 'friend_send',
    args: (facts) => ({
      nametag: fact(facts, 'Bob'),
      message: 'Hi Bob, shall I share my assistant?',
    }),
    expects: {},
    delivers: {
      to: 'Bob',
      origin: friendOf('Ada'),
      contains: () => ['shall I share my assistant?'],
    },
  },
];

const question = 'Summarize recent findings';
const findings = 'Three new papers since Monday; two of them confirm the first.';

/** Sharing a subuser, as the friendship skill describes it. The subuser's gateway agent answers whoever writes to it. */
const sharing: readonly Step[] = [
  {
    title: 'Ada creates a subuser for an application',
    who: 'Ada',
    tool: 'subuser_create',
    args: () => ({
      name: 'research-assistant',
      // The second line makes the local model call this tool whenever someone writes.
      systemPrompt: `You summarize research.\n/send_agent_message ${JSON.stringify({ text: findings })}`,
      description: 'Summarizes research',
    }),
    expects: { name: 'research-assistant' },
    facts: { assistant: 'nametag', assistantId: 'subuserId', assistantGateway: 'gatewayAgentId' },
  },
  {
    title: 'Ada shares it with Bob',
    who: 'Ada',
    tool: 'friend_share_subuser',
    args: shareOf,
    expects: { status: 'pending' },
    delivers: {
      to: 'Bob',
      origin: friendOf('Ada'),
      contains: (facts) => ['research-assistant', fact(facts, 'assistant')],
    },
  },
  {
    title: 'Bob accepts',
    who: 'Bob',
    tool: 'friend_add',
    args: (facts) => ({ nametag: fact(facts, 'assistant') }),
    expects: { status: 'active' },
    delivers: {
      to: 'Ada',
      origin: friendOf('Bob'),
      contains: (facts) => [fact(facts, 'assistant')],
    },
  },
  {
    title: 'Bob messages the subuser by its nametag',
    who: 'Bob',
    tool: 'friend_send',
    args: (facts) => ({ nametag: fact(facts, 'assistant'), message: question }),
    expects: {},
    delivers: { to: 'assistant', origin: friendOf('Bob'), contains: () => [question] },
    answers: { to: 'Bob', origin: fromAssistant, contains: () => [findings] },
  },
  {
    title: 'Ada messages her own subuser by its name',
    who: 'Ada',
    tool: 'friend_send',
    args: () => ({ nametag: 'research-assistant', message: 'Anything for me?' }),
    expects: {},
    delivers: {
      to: 'assistant',
      origin: (facts) => `owner:${fact(facts, 'Ada')}`,
      contains: () => ['Anything for me?'],
    },
    answers: { to: 'Ada', origin: fromAssistant, contains: () => [findings] },
  },
];

const parting: readonly Step[] = [
  {
    title: 'Ada revokes the share',
    who: 'Ada',
    tool: 'friend_unshare_subuser',
    args: shareOf,
    expects: { status: 'removed' },
    delivers: {
      to: 'Bob',
      origin: friendOf('Ada'),
      contains: (facts) => [fact(facts, 'assistant')],
    },
  },
  {
    title: 'Bob can no longer reach the subuser',
    who: 'Bob',
    tool: 'friend_send',
    args: (facts) => ({ nametag: fact(facts, 'assistant'), message: 'Still there?' }),
    expects: { refusal: 'NOT_FOUND' },
  },
  {
    title: 'Ada ends the friendship',
    who: 'Ada',
    tool: 'friend_remove',
    args: (facts) => ({ nametag: fact(facts, 'Bob') }),
    expects: { status: 'removed' },
    delivers: { to: 'Bob', origin: friendOf('Ada'), contains: (facts) => [fact(facts, 'Ada')] },
  },
];

/** Two people become friends, share a subuser, use it, and part. */
export const story: readonly Step[] = [...friendship, ...sharing, ...parting];
