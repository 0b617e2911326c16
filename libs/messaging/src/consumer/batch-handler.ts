import type { SystemMessage } from '@daycare/contracts/common';

export interface ReceivedMessage {
  readonly message: SystemMessage;
  /** The trace in which the message was sent. */
  readonly traceparent: string | undefined;
  /** How many times NATS has delivered the message, including this time. */
  readonly deliveries: number;
}

/** A message that has to be handled before another one; both have the same recipient. */
export interface PredecessorRef {
  readonly id: string;
  readonly userId: string;
}

/**
 * Handles messages in batches, one batch at a time. Any message may arrive again at any time and on any
 * replica; a handler must remember the ids of messages for longer than the stream's `maxAgeMs`.
 */
export interface BatchHandler<Plan = unknown> {
  /**
   * Reads what is needed and decides what to do with each message. An Error instead of a plan affects only that
   * message, which is retried or becomes a dead letter, as `classifyFailure` decides.
   * A message that is already a dead letter must get the same permanent error again.
   */
  prepare(messages: readonly ReceivedMessage[]): Promise<readonly (Plan | Error)[]>;
  /**
   * Resolves once all plans are stored durably, in this order; a plan that was stored before changes nothing.
   * When this rejects, any of the plans may have been stored. The result says, by message id, why a stored
   * message will not be handled; such messages are reported to their senders as dead, but are not dead letters.
   */
  store(plans: readonly Plan[]): Promise<ReadonlyMap<string, string> | undefined>;
  /**
   * Returns the ids of the predecessors that are stored or are dead letters, or that can never be either because their
   * user was deleted.
   */
  findHandled(predecessors: readonly PredecessorRef[]): Promise<ReadonlySet<string>>;
  /**
   * True for a handler that stores in `prepare`: no batch then contains both a message and one of its
   * predecessors.
   */
  readonly storesInPrepare?: boolean;
}
