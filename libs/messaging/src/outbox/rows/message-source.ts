/** A message without a receipt, as the relay publishes it. */
export interface OutgoingMessage {
  readonly id: string;
  readonly recipientUserId: string;
  /** Set when the message is for a service rather than for agents of the recipient. */
  readonly recipientService?: string;
  /** The encoded SystemMessage. */
  readonly payload: Uint8Array;
  readonly traceparent?: string;
  /** Ids of messages that had no receipt yet and have to be handled before this one. */
  readonly predecessors: readonly string[];
  /** How many times it was published, including the publication that is due now. */
  readonly publications: number;
}

/** Which messages are due: those whose `nextAttemptAt` has passed, and those published before `republishBefore`. */
export interface Due {
  readonly now: Date;
  readonly republishBefore: Date;
}

/** What a consumer reports about a message. */
export interface Outcome {
  readonly id: string;
  /** The service that consumed the message and reports this; NATS has authenticated it. */
  readonly consumer?: string;
  readonly outcome: 'delivered' | 'dead';
  readonly reason?: string;
  readonly acceptedAt?: Date;
  /**
   * Whether the message is for a service; the sender then holds back the next one in the lane until this receipt.
   */
  readonly isForService?: boolean;
}

export interface Settlement {
  /** How many of the outcomes were new: their messages had no receipt before. */
  readonly settled: number;
  /** Whether messages that had to wait for these receipts are due now. */
  readonly hasReleased: boolean;
}

export interface Backlog {
  readonly rows: number;
  readonly oldestAcceptedAt?: Date;
}

/**
 * Where a service keeps messages until they have their receipts: the outbox, or documents that hold a change
 * together with the message about it. Every replica runs a relay over the same sources.
 */
export interface MessageSource {
  /** Reports whether a message with this id would be kept here; each id belongs to one source. */
  owns(id: string): boolean;
  /**
   * Returns up to `limit` due messages and postpones them, so that other relays skip them for a while: by
   * `republishAfterMs` after the first publication, twice as long after each further one, up to a maximum.
   * Once the call has resolved, neither `claimDue` nor `nextDueAt` sees the old due times.
   */
  claimDue(due: Due, limit: number): Promise<readonly OutgoingMessage[]>;
  /** Returns when the first message without a receipt is due; undefined if there is none. */
  nextDueAt(): Promise<Date | undefined>;
  /** Sets the time of the next attempt for messages that could not be published. */
  release(ids: readonly string[], nextAttemptAt: Date): Promise<void>;
  /** Returns those of the given ids whose messages have no receipt yet. */
  findOpen(ids: readonly string[]): Promise<ReadonlySet<string>>;
  /**
   * Stores receipts and erases the messages' text. Keeps a message's first outcome, except that a message that was
   * ended with its tie may still turn out to be delivered. Ignores unknown ids.
   */
  settle(outcomes: readonly Outcome[], at: Date): Promise<Settlement>;
  /** Returns how many messages are waiting for a receipt, and since when, for metrics. */
  backlog(): Promise<Backlog>;
}
