import type { ErrorCode, Trust } from '@daycare/api';
import type { Agent, AgentWait } from './agent';
import type { FileReference } from './context/history-record';
import type { StartedBy } from './started-by';

/** A transient failure that prevents work from continuing. */
export interface Waiting {
  /** What the work is waiting for, such as the name of a provider. */
  readonly for: string;
  /** When the failure began. */
  readonly since: Date;
  /** How many times the work has waited since then. */
  readonly count: number;
  /**
   * The agent's list of models, if models are the cause of the failure; the work stops waiting when the list
   * changes.
   */
  readonly models?: string;
}

/** A turn that an agent has begun but not ended. */
export interface CurrentWork {
  readonly messageIds: readonly string[];
  /** Taken from the newest message being answered; shows the connector where to place the reply. */
  readonly replyTarget: string;
  /** How many times the turn has failed. */
  readonly failures: number;
  /** How many times a replica died or lost its lease while working on it. */
  readonly interruptions: number;
  /** Set while it waits for a retry; undefined while it is being worked on. */
  readonly notBefore: Date | undefined;
  /** Present from the first wait that a transient failure causes until the next step that succeeds. */
  readonly waiting?: Waiting;
  /** Present once the person has been notified that it is waiting. */
  readonly isWaitTold?: true;
  /** The sequence number of the record that contains the message being answered; identifies the turn. */
  readonly turn: number;
  /** How many times the model has answered with tool calls. */
  readonly iterations: number;
  /** How many tool calls it has made. */
  readonly toolCalls: number;
  /** The files that its tools have attached to the answer; absent when there are none. */
  readonly files?: readonly FileReference[];
  /** How many requests in a row, since the last answer, the provider has refused as too long. */
  readonly overflows?: number;
  /** How many times its answer was truncated at the maximum length and then continued. */
  readonly continuations?: number;
  /** Set while the model is being asked again because its answer was empty. */
  readonly wasEmpty?: true;
  /** How long its recorded steps took; time in which no replica worked on it does not count. */
  readonly spentMs: number;
  /** The stops and resets that were already waiting when it began; they do not apply to it. */
  readonly earlierControls?: readonly string[];
  /** Present on a background agent that has reported to its parent. */
  readonly hasReported?: true;
  /** The number of agents in the chain that led to it. */
  readonly hops: number;
  /** The lowest trust of the messages it answers and of everything it has read since; never rises. */
  readonly trust: Trust;
  /** Whether it has read or received something private. */
  readonly readPrivate: boolean;
  /** The guest or outsider whose words are in its context; absent when there are none. */
  readonly foreignWriter?: string;
  /**
   * Present once it has read text from a guest or outsider in a tool's result, and if it handles a decision on a
   * request from a turn that had: it may follow instructions from someone other than whoever started it.
   */
  readonly hasReadForeign?: true;
  readonly startedBy: StartedBy;
  /** The models that have failed since it began or last waited; other models in the list are used instead. */
  readonly failedModels?: readonly {
    readonly model: string;
    readonly reason: string;
    readonly code: ErrorCode;
    readonly retryAfterMs?: number;
  }[];
  /** How many times it has switched to another model. */
  readonly switches?: number;
  /**
   * The trace context of the first item that has one; once a span for the turn has started, the context of that span.
   */
  readonly traceparent?: string;
  /** The approved call that begins the turn; absent once it has returned. */
  readonly approved?: { readonly permissionRequestId: string; readonly toolCallId: string };
}

/** Items that leave the inbox. */
export interface InboxSettlement {
  readonly messageIds: readonly string[];
  /** Set when the items were abandoned rather than handled. */
  readonly dead: DeadWork | undefined;
  /** Why the work was stopped half-way, if it was. */
  readonly unfinished?: string;
  /**
   * Present when the turn was interrupted by a stop or reset, by the end of its agent, or because some of its items
   * were dropped: the turn's permission requests are withdrawn.
   */
  readonly stoppedTurn?: number;
  /** Present when a background agent has reported: it ends unless items or permission requests are pending. */
  readonly hasReported?: true;
  /** Present when a schedule started the turn: the schedule records how the turn ended. */
  readonly scheduled?: ScheduledTurn;
}

export interface DeadWork {
  readonly reason: string;
  readonly attempts: number;
}

/** Returns what the work is waiting for and until when; undefined while it is in progress. */
export function waitOf(
  work: Pick<CurrentWork, 'waiting' | 'notBefore'> | undefined,
): AgentWait | undefined {
  const { waiting, notBefore: until } = work ?? {};
  return waiting && until && { for: waiting.for, until };
}

/** A turn that a schedule started, with the labels of its result. */
export interface ScheduledTurn {
  /** `cron:<id>` or `heartbeat`. */
  readonly origin: string;
  /** The trust of the turn at its end. */
  readonly trust: Trust;
  readonly readPrivate: boolean;
  /** The guest or outsider whose words were in its context; absent when there were none. */
  readonly foreignWriter?: string;
  readonly hops: number;
  /** The files that its tools have attached to the answer; absent when there are none. */
  readonly files?: readonly FileReference[];
}

/** A turn that a schedule started, once it has ended. */
export interface EndedTurn {
  readonly agent: Pick<Agent, 'id' | 'userId' | 'foreground'>;
  readonly messageIds: readonly string[];
  readonly outcome: 'answered' | 'failed' | 'stopped';
  /** Why the turn has no answer; undefined when it has one. */
  readonly reason: string | undefined;
  /** The text of the turn's last answer. */
  readonly answer: string;
  readonly scheduled: ScheduledTurn;
}

/** Called after the end of a turn that a schedule started, possibly more than once. */
export type EndRun = (turn: EndedTurn) => Promise<void>;

/**
 * Adds to a settlement what is needed to record the turn's result in the schedule that started the turn, so that the
 * result can still be recorded after a crash. Settlements of other turns are returned unchanged.
 */
export function withScheduledTurn(
  work: CurrentWork | undefined,
  settled: InboxSettlement,
): InboxSettlement {
  if (work?.startedBy.source !== 'schedule') return settled;
  const { trust, readPrivate, foreignWriter, hops, startedBy, files } = work;
  const label = { trust, readPrivate, ...(foreignWriter === undefined ? {} : { foreignWriter }) };
  const attached = files === undefined ? {} : { files };
  return { ...settled, scheduled: { origin: startedBy.origin, ...label, hops, ...attached } };
}
