import {
  addUsage,
  clearsContext,
  noUsage,
  type HistoryEvent,
  type HistoryRecord,
  type TokenUsage,
} from './history-record';
import { estimateRecordTokens } from './estimate-tokens';

/** Where an agent stands after an entry of its history; everything needed to go on from there. */
export interface AgentState {
  /** Of the newest record; 0 before the first. */
  readonly lastSequence: number;
  /** Of the newest `start` or `reset`: the context is what follows. */
  readonly contextFrom: number;
  /** Estimate of what is in the context. */
  readonly contextTokens: number;
  /** Over the agent's whole life. */
  readonly usage: TokenUsage;
  /** When it last did anything but listen silently. */
  readonly busyAt: Date | undefined;
  /** What it is at work on: begun, and not yet off the inbox. */
  readonly current: CurrentWork | undefined;
  /** What this entry took off the inbox; whoever reads it sees to it that the inbox agrees. */
  readonly settled: Settlement | undefined;
}

export interface CurrentWork {
  readonly messageIds: readonly string[];
  /** From the newest message being answered, for the connector to place its reply. */
  readonly replyTarget: string;
  /** How often it has failed. */
  readonly failures: number;
  /** How often the process died, or lost its lease, while it was at work on it. */
  readonly interruptions: number;
  /** Set while it waits to be tried again; undefined while it is being worked on. */
  readonly notBefore: Date | undefined;
  /** The sequence of the record it began with; names the turn. */
  readonly turn: number;
  /** How often the model has answered with tool calls. */
  readonly iterations: number;
  /** How many agents in a row have led to it. */
  readonly hops: number;
}

export interface Settlement {
  readonly messageIds: readonly string[];
  /** Set when they were given up rather than handled. */
  readonly dead: GivenUp | undefined;
  /** Why they were left half-way, when they were. */
  readonly unfinished?: string;
}

export interface GivenUp {
  readonly reason: string;
  readonly attempts: number;
}

/** A change of an agent: what is recorded, and what it is at work on afterwards. */
export interface Step {
  readonly events: readonly HistoryEvent[];
  readonly current: CurrentWork | undefined;
  readonly settled?: Settlement;
  /** A silent step does not keep the agent awake. */
  readonly silent?: boolean;
}

/** One document: it is stored as a whole or not at all, and nothing about the agent changes otherwise. */
export interface HistoryEntry {
  readonly agentId: string;
  readonly userId: string;
  /** Counts the entries of the agent; two writers cannot both have the same. */
  readonly number: number;
  /** Of the lease under which it was written. */
  readonly fence: number;
  /** The replica that wrote it. */
  readonly holder: string;
  readonly at: Date;
  readonly events: readonly HistoryEvent[];
  readonly state: AgentState;
}

/** An entry without its records: enough to go on from it. */
export type HistoryHead = Omit<HistoryEntry, 'events'>;

export interface Writer {
  readonly holder: string;
  readonly fence: number;
}

const unborn: AgentState = {
  lastSequence: 0,
  contextFrom: 0,
  contextTokens: 0,
  usage: noUsage,
  busyAt: undefined,
  current: undefined,
  settled: undefined,
};

/** With what every agent's history begins, whoever writes it. */
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
    state: advance(unborn, { events, current: undefined, silent: true }, at),
  };
}

/** The entry that follows another when a step is taken. */
export function nextEntry(before: HistoryHead, step: Step, writer: Writer, at: Date): HistoryEntry {
  return {
    agentId: before.agentId,
    userId: before.userId,
    number: before.number + 1,
    ...writer,
    at,
    events: step.events,
    state: advance(before.state, step, at),
  };
}

/** The records of an entry with their numbers. */
export function recordsOf({ events, state, at }: HistoryEntry): HistoryRecord[] {
  const first = state.lastSequence - events.length + 1;
  return events.map((event, index) => ({ ...event, sequence: first + index, recordedAt: at }));
}

function advance(before: AgentState, step: Step, at: Date): AgentState {
  let { lastSequence, contextFrom, contextTokens, usage } = before;
  for (const event of step.events) {
    lastSequence += 1;
    if (clearsContext(event)) [contextFrom, contextTokens] = [lastSequence, 0];
    contextTokens += estimateRecordTokens(event);
    if (event.kind === 'assistant_message') usage = addUsage(usage, event.usage);
  }
  return {
    lastSequence,
    contextFrom,
    contextTokens,
    usage,
    busyAt: step.silent ? before.busyAt : at,
    current: step.current,
    settled: step.settled,
  };
}
