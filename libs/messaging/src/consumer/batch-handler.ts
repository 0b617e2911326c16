import type { SystemMessage } from '@daycare/contracts/common';

export interface ReceivedMessage {
  readonly message: SystemMessage;
  /** The trace in which it was sent. */
  readonly traceparent: string | undefined;
  /** How many times NATS has delivered it, including this time. */
  readonly deliveries: number;
}

/** A message that has to be handled before another one; both have the same recipient. */
export interface PredecessorRef {
  readonly id: string;
  readonly userId: string;
}

/**
 * Handles messages in batches, one batch at a time. Any message may come again at any time and on any replica; a
 * handler must remember ids longer than the stream's `maxAgeMs`.
 */
export interface BatchHandler<Plan = unknown> {
  /**
   * Reads what is needed and decides what to do with each message. An Error concerns its message only: it is retried
   * or becomes a dead letter, as `classifyFailure` says. A message that is a dead letter already must get the same
   * permanent error again.
   */
  prepare(messages: readonly ReceivedMessage[]): Promise<readonly (Plan | Error)[]>;
  /**
   * Resolves once all plans are stored durably, in this order; one that was stored before changes nothing. When it
   * rejects, any of them may have been stored. The result gives, by message id, the reasons for messages that are
   * stored but will not be handled: they are reported to their senders as dead, but are not dead letters.
   */
  store(plans: readonly Plan[]): Promise<ReadonlyMap<string, string> | undefined>;
  /**
   * Which of these messages are stored or dead letters, or can never become either because their user was
   * deleted.
   */
  findHandled(predecessors: readonly PredecessorRef[]): Promise<ReadonlySet<string>>;
  /**
   * True for a handler that stores in `prepare`: it is never passed a message together with one of its predecessors.
   */
  readonly storesAlone?: boolean;
}
