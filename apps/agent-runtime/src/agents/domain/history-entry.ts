import { advance, initialState, type AgentState, type AgentStep } from './agent-state';
import { dayOf, type RecordedCall } from './call-usage';
import type { HistoryEvent, HistoryRecord } from './context/history-record';

/** One document, stored as a whole or not at all. An agent's state changes only by adding an entry. */
export interface HistoryEntry {
  readonly agentId: string;
  readonly userId: string;
  /** The connector whose client receives its records; absent when no client does. */
  readonly feed?: string;
  /** Counts the agent's entries; unique, so that only one of two concurrent writers succeeds. */
  readonly number: number;
  /** The fence of the lease under which it was written. */
  readonly fence: number;
  /** The replica that wrote it. */
  readonly holder: string;
  readonly at: Date;
  readonly events: readonly HistoryEvent[];
  readonly state: AgentState;
  /** The model call whose outcome it records, if any. */
  readonly call?: RecordedCall;
}

/** An entry without its events: enough to continue from it. */
export type HistoryHead = Omit<HistoryEntry, 'events' | 'call'>;

export interface Writer {
  readonly holder: string;
  readonly fence: number;
}

/** Returns a history's first entry; apart from its time, it is the same whichever replica writes it. */
export function firstEntry(
  { id: agentId, userId, feed }: { id: string; userId: string; feed?: string },
  at: Date,
): HistoryEntry {
  const events: HistoryEvent[] = [{ kind: 'start' }];
  return {
    agentId,
    userId,
    ...(feed === undefined ? {} : { feed }),
    number: 1,
    fence: 0,
    holder: '',
    at,
    events,
    state: advance(initialState, { events, current: undefined, silent: true }, at),
  };
}

/** Returns the entry that a step adds to a history. */
export function nextEntry(
  before: HistoryHead,
  step: AgentStep,
  writer: Writer,
  at: Date,
): HistoryEntry {
  return {
    agentId: before.agentId,
    userId: before.userId,
    ...(before.feed === undefined ? {} : { feed: before.feed }),
    number: before.number + 1,
    ...writer,
    at,
    events: step.events,
    state: advance(before.state, step, at),
    ...(step.call ? { call: { ...step.call, day: dayOf(at) } } : {}),
  };
}

/**
 * Merges two entries by the same writer: the result has the events of both and the state after the second. The first
 * must not have been sent yet. It must neither remove items from the inbox nor record a model call, because such an
 * entry must be stored before the next step.
 */
export function mergeEntries(unsent: HistoryEntry, next: HistoryEntry): HistoryEntry {
  if (unsent.state.settled)
    throw new Error('an entry that settles items must be stored before the next step');
  if (unsent.call)
    throw new Error('an entry with a model call must be stored before the next step');
  return { ...next, number: unsent.number, events: [...unsent.events, ...next.events] };
}

/** The part of an entry that its records are made from. */
export interface RecordedEvents extends Pick<HistoryEntry, 'at' | 'events'> {
  readonly state: Pick<AgentState, 'lastSequence'>;
}

/** Returns an entry's records, with their sequence numbers and time. */
export function recordsOf({ events, state, at }: RecordedEvents): HistoryRecord[] {
  const first = state.lastSequence - events.length + 1;
  return events.map((event, index) => ({ ...event, sequence: first + index, recordedAt: at }));
}
