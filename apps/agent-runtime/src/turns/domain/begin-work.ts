import { lowestTrust, type Trust } from '@daycare/api';
import {
  type Agent,
  type AgentState,
  type AgentStep,
  type CurrentWork,
  estimateRecordTokens,
  firstValidRequestSequence,
  type HistoryEvent,
  mergeWriters,
  type UserMessageEvent,
} from '../../agents';
import {
  type InboxItem,
  isOwnWords,
  mergedMessage,
  mergedSystemMessage,
  provenanceOf,
} from '../../messaging';
import { approvedStart, decisionText } from './approved-call';
import {
  abandonForLackOfSpace,
  type ContextOwner,
  emergencyReset,
  mayDropContext,
} from './context/context-overflow';
import type { ContextLimits } from './context/request-limits';
import { emptyContext, freshStart, noteOf, startsAfresh } from './fresh/fresh-start';
import { labelOf, originOf, trustOf } from './turn-origin';

type Items = readonly [InboxItem, ...InboxItem[]];

export interface BeginOptions extends Pick<ContextLimits, 'emergencyContextLimit'> {
  /** The stops and resets that are already waiting; they do not apply to the work. */
  readonly earlierControls?: readonly string[];
}

/** The counters of work that has just begun. */
const noProgress = {
  failures: 0,
  interruptions: 0,
  notBefore: undefined,
  iterations: 0,
  toolCalls: 0,
  spentMs: 0,
};

/**
 * Returns the step that records the next items. The step also starts work on them, unless they need no turn: a reset, a
 * stop, an outdated decision, or a silent message.
 */
export function beginWork(
  state: AgentState,
  items: Items,
  { emergencyContextLimit, earlierControls = [] }: BeginOptions,
  agent: Pick<Agent, 'kind' | 'foreground' | 'ownerUserId' | 'promptTrust'>,
): AgentStep {
  const [item] = items;
  const { ownerUserId, promptTrust = 'person' } = agent;
  if (item.kind === 'reset') return reset(item, items, ownerUserId);
  // No turn is in progress that a stop could end.
  if (item.kind === 'stop' || isOutdated(item, state)) return settleSilently(items, []);
  const isFresh = startsAfresh(state, item, agent);
  const context = isFresh ? emptyContext : state;
  const { event: message, replyTarget } = toMessageEvent(item, items, ownerUserId);
  const event = { ...message, ...labelOf(items, ownerUserId) };
  const trust = lowestTrust(trustOf(items, ownerUserId), promptTrust);
  if (isFilledBy(event, context, emergencyContextLimit))
    return addToFullContext(event, items, trust, { agent, state: context });
  const events = isFresh ? [freshStart, event] : [event];
  if (event.silent) return { ...settleSilently(items, events), trust };
  const start = approvedStart(item);
  return {
    events: start ? [...events, start.answer] : events,
    current: {
      ...noProgress,
      ...originOf(items, ownerUserId),
      ...labelsIn(context, event),
      replyTarget,
      turn: state.lastSequence + events.length,
      trust,
      ...(earlierControls.length > 0 ? { earlierControls } : {}),
      ...(start ? { approved: start.approved } : {}),
    },
  };
}

/** Reports whether the item is a decision on a request made before the agent was reset. */
function isOutdated(item: InboxItem, state: AgentState): boolean {
  return item.kind === 'permission_decision' && item.contextFrom < firstValidRequestSequence(state);
}

/**
 * Reports whether a silent message fills the context. Before each model call the context is shortened to fit, but
 * silent messages lead to no model call, so they would pile up.
 */
function isFilledBy(
  event: UserMessageEvent,
  { contextTokens }: Pick<AgentState, 'contextTokens'>,
  emergencyContextLimit: number,
): boolean {
  const tokens = contextTokens + estimateRecordTokens(event);
  return event.silent && contextTokens > 0 && tokens >= emergencyContextLimit;
}

/**
 * Drops a context that a silent message fills, then records the message. If the context must be kept, the message
 * becomes a dead letter instead.
 */
function addToFullContext(
  event: UserMessageEvent,
  items: Items,
  trust: Trust,
  owner: Pick<ContextOwner, 'agent' | 'state'>,
): AgentStep {
  // A schedule's result neither resets the conversation nor becomes a dead letter: the person sees it in a note.
  if (event.forPerson) return settleSilently(items, [noteOf(event)]);
  if (!mayDropContext({ trust }, owner)) return abandonForLackOfSpace(idsOf(items));
  const events = [...emergencyReset(owner.agent.foreground), event];
  return { ...settleSilently(items, events), trust };
}

/** Returns the labels of a turn that begins with this message. */
function labelsIn(
  { contextIsPrivate, contextWriter }: Pick<AgentState, 'contextIsPrivate' | 'contextWriter'>,
  { isPrivate, foreignWriter }: UserMessageEvent,
): Pick<CurrentWork, 'readPrivate' | 'foreignWriter'> {
  const writer = mergeWriters(contextWriter, foreignWriter);
  return {
    readPrivate: isPrivate === true || contextIsPrivate,
    ...(writer === undefined ? {} : { foreignWriter: writer }),
  };
}

function reset(
  { message, byAgent, agentId }: Extract<InboxItem, { kind: 'reset' }>,
  items: Items,
  ownerUserId: string | undefined,
): AgentStep {
  // A message that the agent wrote is not shown as the system's, because a guest may have made the agent write it.
  const writer = byAgent ? { byAgentId: agentId } : {};
  const label = labelOf(items, ownerUserId);
  return {
    events: [{ kind: 'reset', message, emergency: false, ...label, ...writer }],
    current: undefined,
    settled: { messageIds: idsOf(items), dead: undefined },
    trust: trustOf(items, ownerUserId),
  };
}

/** Settles items without a turn. */
function settleSilently(items: Items, events: readonly HistoryEvent[]): AgentStep {
  const settled = { messageIds: idsOf(items), dead: undefined };
  return { events, current: undefined, settled, silent: true };
}

function idsOf(items: Items): readonly string[] {
  return items.map(({ messageId }) => messageId);
}

function toMessageEvent(
  item: Exclude<InboxItem, { kind: 'reset' | 'stop' }>,
  items: Items,
  ownerUserId: string | undefined,
): { event: UserMessageEvent; replyTarget: string } {
  switch (item.kind) {
    case 'message':
      return mergedMessage(items);
    case 'system_message': {
      const isOwn = isOwnWords(provenanceOf(item, ownerUserId));
      const event = mergedSystemMessage(items);
      return { event: isOwn ? { ...event, trusted: true } : event, replyTarget: '' };
    }
    case 'permission_decision':
      return { event: systemEvent([item.messageId], decisionText(item)), replyTarget: '' };
  }
}

function systemEvent(messageIds: readonly string[], text: string): UserMessageEvent {
  return { kind: 'user_message', text, files: [], messageIds, origin: 'system', silent: false };
}
