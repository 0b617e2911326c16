import type { Agent } from '../../agents';

export const relations = [
  'same_user',
  'own_subuser',
  'owner',
  'friend',
  'shared_subuser',
  'share_guest',
] as const;

/**
 * What the recipient's user is to the sender's user: `shared_subuser` is a subuser that a friend
 * currently shares with the sender, `share_guest` a friend with whom the sender, a subuser, is shared.
 */
export type Relation = (typeof relations)[number];

export type MessageParty = Pick<Agent, 'userId' | 'ownerUserId' | 'kind'>;

export interface AgentMessageFacts {
  readonly from: MessageParty;
  readonly to: MessageParty;
  /** Whether the recipient has messaged the sender before, so that this is a reply. */
  readonly isReply: boolean;
}

/**
 * The only place that decides which agent may message which: a relation allows only the messages that its rule
 * accepts.
 */
const rules: Readonly<Record<Relation, (facts: AgentMessageFacts) => boolean>> = {
  same_user: ({ from, to }) => from.userId === to.userId,
  own_subuser: ({ from, to }) => to.ownerUserId === from.userId && isGateway(to),
  owner: ({ from, to, isReply }) => from.ownerUserId === to.userId && isGateway(from) && isReply,
  friend: () => false,
  shared_subuser: ({ from, to }) => !belongsToSubuser(from) && isGateway(to),
  share_guest: ({ from, to, isReply }) => isGateway(from) && !belongsToSubuser(to) && isReply,
};

/**
 * Returns the relations between the two users that allow one agent to message the other. social-graph checks which of
 * them exists, if any, when it accepts the message.
 */
export function relationsAllowing(facts: AgentMessageFacts): Relation[] {
  return relations.filter((relation) => rules[relation](facts));
}

/** Reports whether an agent is a gateway: the only agent through which a subuser exchanges messages with others. */
export function isGateway(agent: MessageParty): boolean {
  return agent.kind === 'subuser' && belongsToSubuser(agent);
}

function belongsToSubuser({ ownerUserId }: MessageParty): boolean {
  return ownerUserId !== undefined;
}
