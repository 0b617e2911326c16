import type { Agent } from './agent';

export const relations = [
  'same_user',
  'own_subuser',
  'owner',
  'friend',
  'shared_subuser',
  'share_guest',
] as const;

/**
 * What the receiver's user is to the sender's: `shared_subuser` is one that a friend shares with it at
 * present, `share_guest` a friend with whom it, a subuser, is shared at present.
 */
export type Relation = (typeof relations)[number];

export type MessageParty = Pick<Agent, 'userId' | 'ownerUserId' | 'kind'>;

export interface AgentMessageFacts {
  readonly from: MessageParty;
  readonly to: MessageParty;
  /** Whether the receiver has messaged the sender, so that this is a reply. */
  readonly wroteBefore: boolean;
  /** As social-graph knows it; undefined when there is none or it was not asked. */
  readonly relation: Relation | undefined;
}

/** The only place the rule exists. What no row allows is denied, whatever relation is claimed. */
const rows: Readonly<Record<Relation, (facts: AgentMessageFacts) => boolean>> = {
  same_user: ({ from, to }) => from.userId === to.userId,
  own_subuser: ({ from, to }) => to.ownerUserId === from.userId && isGateway(to),
  owner: ({ from, to, wroteBefore }) =>
    from.ownerUserId === to.userId && isGateway(from) && wroteBefore,
  friend: () => false,
  shared_subuser: ({ from, to }) => !isOfSubuser(from) && isGateway(to),
  share_guest: ({ from, to, wroteBefore }) => isGateway(from) && !isOfSubuser(to) && wroteBefore,
};

/** Whether one agent may send another a message. */
export function decideAgentMessage(facts: AgentMessageFacts): 'allowed' | 'denied' {
  const relation = evidentRelation(facts.from, facts.to) ?? facts.relation;
  return relation && rows[relation](facts) ? 'allowed' : 'denied';
}

/** Whether social-graph has to be asked what the two users are to each other. */
export function needsRelation(from: MessageParty, to: MessageParty): boolean {
  return evidentRelation(from, to) === undefined;
}

/** The relation that shows in the agents themselves; it outweighs any other. */
function evidentRelation(from: MessageParty, to: MessageParty): Relation | undefined {
  if (from.userId === to.userId) return 'same_user';
  if (to.ownerUserId === from.userId) return 'own_subuser';
  return from.ownerUserId === to.userId ? 'owner' : undefined;
}

/** The agent through which alone a subuser is reached and speaks. */
function isGateway(agent: MessageParty): boolean {
  return agent.kind === 'subuser' && isOfSubuser(agent);
}

function isOfSubuser({ ownerUserId }: MessageParty): boolean {
  return ownerUserId !== undefined;
}
