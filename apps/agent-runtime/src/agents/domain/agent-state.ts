import { lowestTrust, type ErrorCode, type Trust } from '@daycare/api';
import type { AgentWait } from './agent';
import { dayOf, type CallUsage, type RecordedCall } from './call-usage';
import {
  addUsage,
  clearsContext,
  foreignWriterOf,
  isPrivate,
  noUsage,
  type HistoryEvent,
  type HistoryRecord,
  type TokenUsage,
} from './context/history-record';
import { estimateRecordTokens } from './context/estimate-tokens';
import { mergeWriters, type StartedBy } from './started-by';

/** The state of an agent after an entry of its history: everything needed to continue from there. */
export interface AgentState {
  /** The sequence of the newest record; 0 before the first. */
  readonly lastSequence: number;
  /** The sequence of the newest `start` or `reset`; the context is what follows it. */
  readonly contextFrom: number;
  /** Where reading begins to restore the context; absent when that is `contextFrom`. */
  readonly restoreFrom?: number;
  /** The estimated size of the context. */
  readonly contextTokens: number;
  /** The lowest trust of the texts in the context; absent in entries older than the field. */
  readonly contextTrust?: Trust;
  /** Whether the context holds something private, so that nothing in it may be sent to guests without approval. */
  readonly contextIsPrivate: boolean;
  /** The guest or outsider whose words the context holds: private towards everyone else who is foreign. */
  readonly contextWriter?: string;
  /** The total over the agent's life. */
  readonly usage: TokenUsage;
  /** The fallback in use instead of the first choice, as the history says; absent once another model has answered. */
  readonly fallbackModel?: string;
  /** When it last recorded anything that was not silent. */
  readonly busyAt: Date | undefined;
  /** The work in progress: started, but its items are still in the inbox. */
  readonly current: CurrentWork | undefined;
  /**
   * The items that this entry removes from the inbox; whoever reads the entry updates the inbox
   * accordingly.
   */
  readonly settled: InboxSettlement | undefined;
  /** Present on an entry that ends a wait, so that the agent is no longer shown as waiting. */
  readonly endsWait?: true;
  /** Present once it has left work undone: the agent that started it is notified the first time only. */
  readonly hasFailed?: true;
}

/** A transient failure that keeps work from continuing. */
export interface Waiting {
  /** What it waits for, such as the name of a provider. */
  readonly for: string;
  /** When the failure began. */
  readonly since: Date;
  /** How often it has waited since then. */
  readonly count: number;
  /** The list whose models have failed, if it waits for one of them; with another list it continues immediately. */
  readonly models?: string;
}

export interface CurrentWork {
  readonly messageIds: readonly string[];
  /** From the newest message being answered, so that the connector can place the reply. */
  readonly replyTarget: string;
  /** How often it has failed. */
  readonly failures: number;
  /** How often a replica died or lost its lease while working on it. */
  readonly interruptions: number;
  /** Set while it waits for a retry; undefined while it is being worked on. */
  readonly notBefore: Date | undefined;
  /** Present from the first wait for a transient failure to the next step that succeeds. */
  readonly waiting?: Waiting;
  /** Present once the person was notified that it waits. */
  readonly isWaitTold?: true;
  /** The sequence of its first record; identifies the turn. */
  readonly turn: number;
  /** How often the model has answered with tool calls. */
  readonly iterations: number;
  /** How many tool calls it has made. */
  readonly toolCalls: number;
  /** How often the provider has refused a request of it as too long. */
  readonly overflows?: number;
  /** How often its answer was cut at the maximum length and continued. */
  readonly continuations?: number;
  /** The model has answered with nothing, and was asked again. */
  readonly wasEmpty?: true;
  /** How long its recorded steps took; time in which no replica worked on it does not count. */
  readonly spentMs: number;
  /** The stops and resets that waited already when it began: they do not concern it. */
  readonly earlierControls?: readonly string[];
  /** Present on a background agent that has reported to its parent. */
  readonly hasReported?: true;
  /** The number of agents in the chain that led to it. */
  readonly hops: number;
  /** The lowest of what it answers and of what it has read since; never rises. */
  readonly trust: Trust;
  /** Whether it has read or received something private. */
  readonly readPrivate: boolean;
  /** The guest or outsider whose words are in its context; absent when there are none. */
  readonly foreignWriter?: string;
  /** Present once it has read text of a guest or outsider: it may follow instructions of others than its starter. */
  readonly hasReadForeign?: true;
  readonly startedBy: StartedBy;
  /** The models that have failed in it; others of the list are asked instead. */
  readonly failedModels?: readonly {
    readonly model: string;
    readonly reason: string;
    readonly code: ErrorCode;
    readonly retryAfterMs?: number;
  }[];
  /** How often another model was asked instead. */
  readonly switches?: number;
  /** The call that a person approved and that begins the turn; absent once it has returned. */
  readonly approved?: { readonly permissionRequestId: string; readonly toolCallId: string };
}

/** Items that leave the inbox. */
export interface InboxSettlement {
  readonly messageIds: readonly string[];
  /** Set when they were given up rather than handled. */
  readonly dead: DeadWork | undefined;
  /** Why the work was stopped half-way, if it was. */
  readonly unfinished?: string;
  /** The turn that a person stopped: its requests are withdrawn. */
  readonly stoppedTurn?: number;
  /** Present when a background agent has nothing more to do once nothing else waits for it. */
  readonly hasReported?: true;
}

export interface DeadWork {
  readonly reason: string;
  readonly attempts: number;
}

/** A change of an agent: the events to record, and its work in progress afterwards. */
export interface AgentStep {
  readonly events: readonly HistoryEvent[];
  readonly current: CurrentWork | undefined;
  readonly settled?: InboxSettlement;
  /** A silent step does not keep the agent awake. */
  readonly silent?: boolean;
  /** The trust of what it records, when no work has it. */
  readonly trust?: Trust;
  /** The estimated size of what stays of the context, when the step makes room. */
  readonly keptTokens?: number;
  /** What the model call used whose outcome the step is. */
  readonly call?: CallUsage;
}

/** One document, stored as a whole or not at all; the only way in which an agent's state changes. */
export interface HistoryEntry {
  readonly agentId: string;
  readonly userId: string;
  /** Counts the agent's entries; unique, so that only one of two writers succeeds. */
  readonly number: number;
  /** The fence of the lease under which it was written. */
  readonly fence: number;
  /** The replica that wrote it. */
  readonly holder: string;
  readonly at: Date;
  readonly events: readonly HistoryEvent[];
  readonly state: AgentState;
  /** The model call whose outcome it records, if it does. */
  readonly call?: RecordedCall;
}

/** An entry without its events: enough to continue from it. */
export type HistoryHead = Omit<HistoryEntry, 'events' | 'call'>;

export interface Writer {
  readonly holder: string;
  readonly fence: number;
}

const initialState: AgentState = {
  lastSequence: 0,
  contextFrom: 0,
  contextTokens: 0,
  contextTrust: 'person',
  contextIsPrivate: false,
  usage: noUsage,
  busyAt: undefined,
  current: undefined,
  settled: undefined,
};

/** The first entry of every history, whichever replica writes it. */
export function firstEntry(agent: { id: string; userId: string }, at: Date): HistoryEntry {
  const events: HistoryEvent[] = [{ kind: 'start' }];
  return {
    agentId: agent.id,
    userId: agent.userId,
    number: 1,
    fence: 0,
    holder: '',
    at,
    events,
    state: advance(initialState, { events, current: undefined, silent: true }, at),
  };
}

/** The entry that a step adds to a history. */
export function nextEntry(
  before: HistoryHead,
  step: AgentStep,
  writer: Writer,
  at: Date,
): HistoryEntry {
  return {
    agentId: before.agentId,
    userId: before.userId,
    number: before.number + 1,
    ...writer,
    at,
    events: step.events,
    state: advance(before.state, step, at),
    ...(step.call ? { call: { ...step.call, day: dayOf(at) } } : {}),
  };
}

/**
 * Two entries of one writer as one: both steps, and the state after the second. Only an entry that was
 * never sent may be merged with its successor, and none that takes items off the inbox: they are settled
 * before the next step.
 */
export function mergeEntries(unsent: HistoryEntry, next: HistoryEntry): HistoryEntry {
  if (unsent.state.settled) throw new Error('an entry that settles items must be stored by itself');
  if (unsent.call)
    throw new Error('an entry with a model call must be stored before the next step');
  return { ...next, number: unsent.number, events: [...unsent.events, ...next.events] };
}

/** The records of an entry, with sequences and time. */
export function recordsOf({ events, state, at }: HistoryEntry): HistoryRecord[] {
  const first = state.lastSequence - events.length + 1;
  return events.map((event, index) => ({ ...event, sequence: first + index, recordedAt: at }));
}

function advance(before: AgentState, step: AgentStep, at: Date): AgentState {
  let context = contextOf(before);
  let { lastSequence, usage, fallbackModel } = before;
  for (const event of step.events) {
    lastSequence += 1;
    context = afterEvent(context, event, lastSequence, step.keptTokens);
    if (event.kind === 'assistant_message') usage = addUsage(usage, event.usage);
    fallbackModel = fallbackAfter(event, fallbackModel);
  }
  const trust = step.trust ?? step.current?.trust ?? 'person';
  return {
    lastSequence,
    ...context,
    contextTrust: lowestTrust(context.contextTrust, trust),
    usage,
    ...(fallbackModel === undefined ? {} : { fallbackModel }),
    busyAt: step.silent ? before.busyAt : at,
    current: step.current,
    settled: step.settled,
    ...(waitOf(before.current) && !waitOf(step.current) ? { endsWait: true } : {}),
    ...(before.hasFailed || hasFailed(before.settled) ? { hasFailed: true } : {}),
  };
}

/** What work waits for now, and until when; undefined while it is worked on. */
export function waitOf(
  work: Pick<CurrentWork, 'waiting' | 'notBefore'> | undefined,
): AgentWait | undefined {
  const { waiting, notBefore: until } = work ?? {};
  return waiting && until && { for: waiting.for, until };
}

function hasFailed(settled: InboxSettlement | undefined): boolean {
  return (settled?.dead ?? settled?.unfinished) !== undefined;
}

/** A model other than the fallback has answered: the fallback is no longer in use. */
function fallbackAfter(event: HistoryEvent, before: string | undefined): string | undefined {
  if (event.kind === 'note') return event.fallbackModel ?? before;
  if (event.kind !== 'assistant_message') return before;
  return before === `${event.provider}/${event.model}` ? before : undefined;
}

type ContextState = Pick<
  AgentState,
  'contextFrom' | 'contextTokens' | 'contextIsPrivate' | 'contextWriter'
> &
  Required<Pick<AgentState, 'contextTrust' | 'restoreFrom'>>;

function contextOf(state: AgentState): ContextState {
  const { contextFrom, contextTokens, contextIsPrivate } = state;
  const { restoreFrom = contextFrom, contextTrust = 'outside' } = state;
  const writer = state.contextWriter === undefined ? {} : { contextWriter: state.contextWriter };
  return { contextFrom, restoreFrom, contextTokens, contextTrust, contextIsPrivate, ...writer };
}

function afterEvent(
  before: ContextState,
  event: HistoryEvent,
  sequence: number,
  keptTokens = 0,
): ContextState {
  const base = madeRoom(before, event, sequence, keptTokens);
  const contextWriter = mergeWriters(base.contextWriter, foreignWriterOf(event));
  return {
    ...base,
    contextTokens: base.contextTokens + estimateRecordTokens(event),
    contextIsPrivate: base.contextIsPrivate || isPrivate(event),
    ...(contextWriter === undefined ? {} : { contextWriter }),
  };
}

/** Labels go with the context they are about: they stay for as long as anything of it does. */
function madeRoom(
  before: ContextState,
  event: HistoryEvent,
  sequence: number,
  keptTokens: number,
): ContextState {
  if (event.kind === 'compaction') {
    const restoreFrom = Math.min(event.keptFrom, event.kept ?? sequence, sequence);
    return { ...before, restoreFrom, contextTokens: keptTokens };
  }
  if (!clearsContext(event)) return before;
  if (event.kind === 'reset' && event.kept !== undefined)
    return { ...before, contextFrom: sequence, restoreFrom: event.kept, contextTokens: keptTokens };
  return {
    contextFrom: sequence,
    restoreFrom: sequence,
    contextTokens: 0,
    contextTrust: 'person',
    contextIsPrivate: false,
  };
}
