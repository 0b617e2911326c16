import { isForeign } from '@daycare/api';
import {
  estimateMessages,
  type Agent,
  type AgentState,
  type AgentStep,
  type ContextMessage,
  type CurrentWork,
  type HistoryEvent,
} from '../../../agents';
import { contextFullNote, emergencyResetNote } from '../../../messaging';

/**
 * How many times in a row the limits for a request are halved because the provider has refused it as too long. If it
 * refuses the next request, too, the step fails.
 */
export const maxOverflows = 8;

/** Continues the work with smaller requests, because the provider has refused one as too long. */
export function afterOverflow(work: CurrentWork): AgentStep {
  return { events: [], current: { ...work, overflows: (work.overflows ?? 0) + 1 } };
}

export interface ContextOwner {
  readonly agent: Pick<Agent, 'foreground' | 'ownerUserId'>;
  readonly state: Pick<AgentState, 'contextIsPrivate'>;
  readonly context: readonly ContextMessage[];
}

/**
 * Drops the context except for the current message, because nothing else helped; abandons the work if the context must
 * be kept.
 */
export function resetInTurn(work: CurrentWork, owner: ContextOwner): AgentStep {
  if (!mayDropContext(work, owner)) return abandonForLackOfSpace(work.messageIds);
  const message = owner.context.filter(({ sequence }) => sequence === work.turn);
  return {
    events: emergencyReset(owner.agent.foreground, work.turn),
    current: work,
    keptTokens: estimateMessages(message),
  };
}

/**
 * Reports whether the context may be dropped for this work. Foreign messages must not make an agent forget what is
 * private to its user, except in a subuser, which must remain usable for its guests.
 */
export function mayDropContext(
  { trust }: Pick<CurrentWork, 'trust'>,
  { agent, state }: Pick<ContextOwner, 'agent' | 'state'>,
): boolean {
  return !isForeign(trust) || !state.contextIsPrivate || agent.ownerUserId !== undefined;
}

/** Returns the events that drop the context; the message with the sequence number `kept` remains. */
export function emergencyReset(foreground: boolean, kept?: number): HistoryEvent[] {
  const keptField = kept === undefined ? {} : { kept };
  const marker: HistoryEvent = { kind: 'reset', message: '', emergency: true, ...keptField };
  return foreground ? [marker, { kind: 'note', text: emergencyResetNote() }] : [marker];
}

/**
 * Abandons messages from others that do not fit, because such messages must not make an agent forget what is private to
 * its user.
 */
export function abandonForLackOfSpace(messageIds: readonly string[]): AgentStep {
  return {
    events: [{ kind: 'note', text: contextFullNote(), endsWork: true }],
    current: undefined,
    settled: { messageIds, dead: { reason: "the agent's context is full", attempts: 0 } },
  };
}
