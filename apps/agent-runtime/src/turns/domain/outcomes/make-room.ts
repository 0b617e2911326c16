import { isForeign } from '@daycare/api';
import {
  estimateMessages,
  type Agent,
  type AgentState,
  type AgentStep,
  type ContextMessage,
  type CurrentWork,
} from '../../../agents';
import { emergencyReset, refuseForRoom } from '../turn-steps';

/**
 * How many times a provider may refuse requests of a turn as too long. Each request is half as large as the
 * last.
 */
export const maxOverflows = 8;

/** The provider refused the request as too long: the same work continues with less room. */
export function afterOverflow(work: CurrentWork): AgentStep {
  return { events: [], current: { ...work, overflows: (work.overflows ?? 0) + 1 } };
}

export interface RoomOwner {
  readonly agent: Pick<Agent, 'foreground' | 'ownerUserId'>;
  readonly state: Pick<AgentState, 'contextIsPrivate'>;
  readonly context: readonly ContextMessage[];
}

/** Nothing else helped: the context is dropped except for the current message, which is answered. */
export function resetInTurn(work: CurrentWork, owner: RoomOwner): AgentStep {
  if (!mayDropContext(work, owner)) return refuseForRoom(work.messageIds);
  const message = owner.context.filter(({ sequence }) => sequence === work.turn);
  return {
    events: emergencyReset(owner.agent.foreground, work.turn),
    current: work,
    keptTokens: estimateMessages(message),
  };
}

/**
 * Whether the context may be dropped for this work. Foreign messages must not make an agent forget what is
 * private to its user, except in a subuser, whose guests must be able to make room.
 */
export function mayDropContext(
  { trust }: CurrentWork,
  { agent, state }: Pick<RoomOwner, 'agent' | 'state'>,
): boolean {
  return !isForeign(trust) || !state.contextIsPrivate || agent.ownerUserId !== undefined;
}
