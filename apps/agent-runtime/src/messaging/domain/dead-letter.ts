import type { MessageTie } from './closed-tie';
import type { InboxItem, InboxItemKind } from './inbox-item';

/** An item or message that was abandoned, kept so that a person can read and retry it. */
export interface DeadLetter {
  readonly id: string;
  /**
   * The user the message was for. Empty when that user does not exist or is not known: then only operators see the dead
   * letter.
   */
  readonly userId: string;
  /** The owner, who also sees the dead letter, if the user is a subuser. */
  readonly ownerUserId: string | undefined;
  /** Empty when the message never reached an agent. */
  readonly agentId: string;
  readonly kind: InboxItemKind;
  readonly messageId: string;
  readonly origin: string;
  readonly text: string;
  readonly reason: string;
  readonly attempts: number;
  readonly acceptedAt: Date;
  readonly deadAt: Date;
  /**
   * The item that a retry puts back into the inbox; undefined when the message was never in an inbox, and once the dead
   * letter has been retried.
   */
  readonly item: InboxItem | undefined;
  /** The tie that allowed the item: once it has ended, the item is no longer delivered. */
  readonly tie?: MessageTie;
  /** The message as received from the stream, when it was never in an inbox. */
  readonly payload: Uint8Array | undefined;
  /** The id of the request that retried the dead letter, so that a retry of that request is recognised. */
  readonly retriedBy: string | undefined;
}
