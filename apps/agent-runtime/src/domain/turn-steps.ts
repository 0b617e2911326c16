import type { Agent } from './agent';
import type { AgentState, CurrentWork, Step } from './agent-state';
import { estimateRecordTokens } from './estimate-tokens';
import type {
  AssistantMessageEvent,
  HistoryEvent,
  ToolResultEvent,
  UserMessageEvent,
} from './history-record';
import { isOfSchedule, type InboxItem } from './inbox-item';
import { mergedMessage } from './merge-messages';
import { couldNotHandleNote, emergencyResetNote, toolLimitNote } from './message-wording';
import { afterFailure, afterInterruption } from './retry-policy';

export interface ContextLimits {
  /** In tokens; a context that has reached it is reset before the next turn. */
  readonly emergencyContextLimit: number;
}

/** Takes the next items in hand: what they say is recorded before anything is done about it. */
export function begin(
  { contextTokens, contextFrom, lastSequence }: AgentState,
  items: readonly [InboxItem, ...InboxItem[]],
  { emergencyContextLimit }: ContextLimits,
  agent: Pick<Agent, 'foreground' | 'ownerUserId'>,
): Step {
  const [item] = items;
  const messageIds = items.map(({ messageId }) => messageId);
  if (item.kind === 'reset') return reset(item.message, messageIds);
  if (item.kind === 'permission_decision' && item.contextFrom < contextFrom)
    return ignore(messageIds);
  const { event, replyTarget } = incoming(item, items, agent.ownerUserId);
  const tokens = contextTokens + estimateRecordTokens(event);
  const isFull = contextTokens > 0 && tokens >= emergencyContextLimit;
  const events = [...(isFull ? emergencyReset(agent.foreground) : []), event];
  if (event.silent) return listen(events, messageIds);
  return {
    events,
    current: {
      messageIds,
      replyTarget,
      failures: 0,
      interruptions: 0,
      notBefore: undefined,
      turn: lastSequence + events.length,
      iterations: 0,
      hops: item.kind === 'system_message' ? item.hops : 0,
    },
  };
}

/** The model wants tools to be run before it goes on. */
export function wishForTools(work: CurrentWork, answer: AssistantMessageEvent): Step {
  return { events: [answer], current: { ...work, iterations: work.iterations + 1 } };
}

/** A tool has been run. */
export function recordResult(work: CurrentWork, result: ToolResultEvent): Step {
  return { events: [result], current: work };
}

/** The model still wants more after as many rounds of tools as it may have. */
export function stopAtLimit({ messageIds, iterations }: CurrentWork): Step {
  const text = toolLimitNote(iterations);
  return {
    events: [{ kind: 'note', text }],
    current: undefined,
    settled: { messageIds, dead: undefined, unfinished: text },
  };
}

/** The work is done: its answer is recorded and it leaves the inbox in one. */
export function finish({ messageIds }: CurrentWork, answer: AssistantMessageEvent): Step {
  return { events: [answer], current: undefined, settled: { messageIds, dead: undefined } };
}

/** The work failed: it is tried again later, by chance a little earlier or later, or given up. */
export function fail(work: CurrentWork, reason: string, now: Date, random = 0): Step {
  const failures = work.failures + 1;
  const verdict = afterFailure(failures, now, random);
  if (verdict.kind === 'dead') return giveUp({ ...work, failures }, reason);
  return {
    events: [],
    current: { ...work, failures, notBefore: verdict.notBefore },
  };
}

/**
 * The first step under a new lease: work that somebody else had in hand was interrupted; otherwise
 * nothing changes but who may write.
 */
export function takeCharge(state: AgentState, now: Date): Step {
  const { current } = state;
  return current && !current.notBefore ? takeOver(current, now) : claim(state);
}

/** Somebody else had begun the work and is gone. */
function takeOver(work: CurrentWork, now: Date): Step {
  const interruptions = work.interruptions + 1;
  const verdict = afterInterruption(interruptions, now);
  if (verdict.kind === 'dead')
    return giveUp({ ...work, interruptions }, 'it was interrupted too often');
  const notBefore = verdict.notBefore > now ? verdict.notBefore : undefined;
  return { events: [], current: { ...work, interruptions, notBefore } };
}

/** The time to try again has come. */
export function tryAgain(work: CurrentWork): Step {
  return { events: [], current: { ...work, notBefore: undefined } };
}

/** Changes nothing but who may write. */
function claim({ current, settled }: AgentState): Step {
  return { events: [], current, ...(settled ? { settled } : {}), silent: true };
}

function reset(message: string, messageIds: readonly string[]): Step {
  const events: HistoryEvent[] = [{ kind: 'reset', message, emergency: false }];
  return { events, current: undefined, settled: { messageIds, dead: undefined } };
}

function ignore(messageIds: readonly string[]): Step {
  return { events: [], current: undefined, settled: { messageIds, dead: undefined }, silent: true };
}

function listen(events: readonly HistoryEvent[], messageIds: readonly string[]): Step {
  const settled = { messageIds, dead: undefined };
  return { events, current: undefined, settled, silent: true };
}

function emergencyReset(foreground: boolean): HistoryEvent[] {
  const marker: HistoryEvent = { kind: 'reset', message: '', emergency: true };
  return foreground ? [marker, { kind: 'note', text: emergencyResetNote() }] : [marker];
}

function giveUp(work: CurrentWork, reason: string): Step {
  const { messageIds, failures, interruptions } = work;
  return {
    events: [{ kind: 'note', text: couldNotHandleNote(reason) }],
    current: undefined,
    settled: { messageIds, dead: { reason, attempts: failures + interruptions } },
  };
}

function incoming(
  item: Exclude<InboxItem, { kind: 'reset' }>,
  items: readonly InboxItem[],
  ownerUserId: string | undefined,
): { event: UserMessageEvent; replyTarget: string } {
  switch (item.kind) {
    case 'message':
      return mergedMessage(items);
    case 'system_message': {
      const { text, origin, silent, sender, userId } = item;
      const isOwn = sender ? [userId, ownerUserId].includes(sender.userId) : isOfSchedule(origin);
      const event = heard(item.messageId, text, origin, silent);
      return { event: isOwn ? { ...event, trusted: true } : event, replyTarget: '' };
    }
    case 'permission_decision': {
      const text = `The user ${item.granted ? 'granted' : 'denied'} your request for ${item.permission}.`;
      return { event: heard(item.messageId, text, 'system', false), replyTarget: '' };
    }
  }
}

function heard(messageId: string, text: string, origin: string, silent: boolean): UserMessageEvent {
  return { kind: 'user_message', text, files: [], messageIds: [messageId], origin, silent };
}
