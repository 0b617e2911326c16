import { isForeign, lowestTrust, type Trust } from '@daycare/api';
import {
  type Agent,
  type AgentState,
  firstValidRequestSequence,
  type AssistantMessageEvent,
  type CurrentWork,
  estimateRecordTokens,
  type HistoryEvent,
  type AgentStep,
  mergeWriters,
  type ToolResultEvent,
  type UserMessageEvent,
} from '../../agents';
import {
  emergencyResetNote,
  type InboxItem,
  isOwnWords,
  mergedMessage,
  mergedSystemMessage,
  contextFullNote,
  provenanceOf,
} from '../../messaging';
import type { ContextLimits } from './context/request-limits';
import { approvedStart, decisionText } from './approved-call';
import { giveUp } from './failures/after-failure';
import { afterInterruption } from './failures/retry-policy';
import { emptyContext, freshStart, noteOf, startsAfresh } from './fresh/fresh-start';
import { hasReadForeign, hopsOf, type ItemLabel, labelOf, starterOf, trustOf } from './turn-origin';

/** Starts work on the next items: returns the step that records their content. */
export function beginWork(
  state: AgentState,
  items: readonly [InboxItem, ...InboxItem[]],
  { emergencyContextLimit }: Pick<ContextLimits, 'emergencyContextLimit'>,
  agent: Pick<Agent, 'kind' | 'foreground' | 'ownerUserId' | 'promptTrust'>,
  earlierControls: readonly string[] = [],
): AgentStep {
  const [item] = items;
  const messageIds = items.map(({ messageId }) => messageId);
  const label = labelOf(items, agent.ownerUserId);
  const isFresh = startsAfresh(state, item, agent);
  const { contextTokens, contextIsPrivate, contextWriter } = isFresh ? emptyContext : state;
  if (item.kind === 'reset')
    return reset(item, messageIds, label, trustOf(items, agent.ownerUserId));
  // No turn is in progress that the stop could end.
  if (item.kind === 'stop') return discard(messageIds);
  if (item.kind === 'permission_decision' && item.contextFrom < firstValidRequestSequence(state))
    return discard(messageIds);
  const { event: message, replyTarget } = toMessageEvent(item, items, agent.ownerUserId);
  const event = { ...message, ...label };
  // Before each model call the context is shortened to fit. Silent items lead to no model call, so they would pile
  // up; a context that they fill is reset here.
  const tokens = contextTokens + estimateRecordTokens(event);
  const isFull = event.silent && contextTokens > 0 && tokens >= emergencyContextLimit;
  const trust = lowestTrust(trustOf(items, agent.ownerUserId), agent.promptTrust ?? 'person');
  // Foreign messages may reset a context only if it contains none of the user's private data, or belongs to a
  // subuser.
  const mustKeepContext = contextIsPrivate && agent.ownerUserId === undefined;
  // A conversation is not reset for a schedule's result; the person sees the result in a note instead.
  if (isFull && event.forPerson) return recordSilently([noteOf(event)], messageIds);
  if (isFull && isForeign(trust) && mustKeepContext) return abandonForLackOfSpace(messageIds);
  const resetEvents = isFull ? emergencyReset(agent.foreground) : [];
  const events = [...(isFresh ? [freshStart] : []), ...resetEvents, event];
  if (event.silent) return { ...recordSilently(events, messageIds), trust };
  const start = approvedStart(item);
  const { traceparent } = items.find((each) => each.traceparent !== undefined) ?? {};
  const foreignWriter = mergeWriters(isFull ? undefined : contextWriter, label.foreignWriter);
  return {
    events: start ? [...events, start.answer] : events,
    current: {
      messageIds,
      replyTarget,
      failures: 0,
      interruptions: 0,
      notBefore: undefined,
      turn: state.lastSequence + events.length,
      iterations: 0,
      toolCalls: 0,
      spentMs: 0,
      ...(earlierControls.length > 0 ? { earlierControls } : {}),
      hops: Math.max(...items.map(hopsOf)),
      trust,
      readPrivate: label.isPrivate === true || (contextIsPrivate && !isFull),
      ...(foreignWriter === undefined ? {} : { foreignWriter }),
      ...(items.some(hasReadForeign) ? { hasReadForeign: true } : {}),
      startedBy: starterOf(items, agent.ownerUserId),
      ...(traceparent === undefined ? {} : { traceparent }),
      ...(start ? { approved: start.approved } : {}),
    },
  };
}

/** Records tool results. What the tools have read may lower the trust for the rest of the turn. */
export function recordToolResults(
  work: CurrentWork,
  results: readonly ToolResultEvent[],
): AgentStep {
  const provenances = results.flatMap(({ provenance }) => provenance ?? []);
  const trust = lowestTrust(work.trust, ...provenances);
  const readPrivate = work.readPrivate || results.some(({ isPrivate }) => isPrivate === true);
  const writers = results.map(({ foreignWriter }) => foreignWriter);
  const foreignWriter = mergeWriters(work.foreignWriter, ...writers);
  const { approved: _used, ...rest } = work;
  const attached = [...(work.files ?? []), ...results.flatMap(({ files = [] }) => files)];
  const files = attached.length > 0 ? { files: attached } : {};
  const labels = { readPrivate, ...(foreignWriter === undefined ? {} : { foreignWriter }) };
  const foreignMark = provenances.some(isForeign) ? ({ hasReadForeign: true } as const) : {};
  return { events: results, current: { ...rest, trust, ...labels, ...foreignMark, ...files } };
}

/** Ends the work: one entry records the answer and settles the items. */
export function finishWork(
  { messageIds, hasReported, files }: CurrentWork,
  answer: AssistantMessageEvent,
): AgentStep {
  const settled = { messageIds, dead: undefined, ...(hasReported ? { hasReported } : {}) };
  const events = [files ? { ...answer, files } : answer];
  return { events, current: undefined, settled };
}

/**
 * The first step under a new lease. Work that the previous holder was doing counts as interrupted;
 * otherwise only the writer changes.
 */
export function assumeLease(state: AgentState, now: Date): AgentStep {
  const { current } = state;
  return current && !current.notBefore ? takeOverWork(current, now) : claimHistory(state);
}

/** The previous holder started the work and did not finish it. */
function takeOverWork(work: CurrentWork, now: Date): AgentStep {
  const interruptions = work.interruptions + 1;
  const verdict = afterInterruption(interruptions, now);
  if (verdict.kind === 'dead')
    return giveUp({ ...work, interruptions }, 'it was interrupted too often');
  const notBefore = verdict.notBefore > now ? verdict.notBefore : undefined;
  return { events: [], current: { ...work, interruptions, notBefore } };
}

/** Resumes work whose retry delay is over. */
export function resumeWork(work: CurrentWork): AgentStep {
  return { events: [], current: { ...work, notBefore: undefined } };
}

/** A step that changes only who may write. */
function claimHistory({ current, settled }: AgentState): AgentStep {
  return { events: [], current, ...(settled ? { settled } : {}), silent: true };
}

function reset(
  item: Extract<InboxItem, { kind: 'reset' }>,
  messageIds: readonly string[],
  label: ItemLabel,
  trust: Trust,
): AgentStep {
  const { message, byAgent, agentId } = item;
  // A message that the agent wrote is not shown as the system's, because a guest may have made the agent write it.
  const writer = byAgent ? { byAgentId: agentId } : {};
  const events: HistoryEvent[] = [
    { kind: 'reset', message, emergency: false, ...label, ...writer },
  ];
  return { events, current: undefined, settled: { messageIds, dead: undefined }, trust };
}

function discard(messageIds: readonly string[]): AgentStep {
  return { events: [], current: undefined, settled: { messageIds, dead: undefined }, silent: true };
}

function recordSilently(events: readonly HistoryEvent[], messageIds: readonly string[]): AgentStep {
  const settled = { messageIds, dead: undefined };
  return { events, current: undefined, settled, silent: true };
}

/** Returns the events that drop the context; the message with the sequence number `kept` remains. */
export function emergencyReset(foreground: boolean, kept?: number): HistoryEvent[] {
  const keptField = kept === undefined ? {} : { kept };
  const marker: HistoryEvent = { kind: 'reset', message: '', emergency: true, ...keptField };
  return foreground ? [marker, { kind: 'note', text: emergencyResetNote() }] : [marker];
}

/**
 * Abandons messages from others that do not fit, because only the user may make an agent forget what the user
 * wrote.
 */
export function abandonForLackOfSpace(messageIds: readonly string[]): AgentStep {
  return {
    events: [{ kind: 'note', text: contextFullNote(), endsWork: true }],
    current: undefined,
    settled: { messageIds, dead: { reason: "the agent's context is full", attempts: 0 } },
  };
}

function toMessageEvent(
  item: Exclude<InboxItem, { kind: 'reset' | 'stop' }>,
  items: readonly InboxItem[],
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
