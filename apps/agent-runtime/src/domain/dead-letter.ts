import type { InboxItem, InboxItemKind } from './inbox-item';

/** Something that was given up, kept for a person to look at and to try again. */
export interface DeadLetter {
  readonly id: string;
  /** Empty when it fitted no user: then only operators see it. */
  readonly userId: string;
  /** The owner, when the user is a subuser: it sees the letter too. */
  readonly ownerUserId: string | undefined;
  /** Empty when it fitted no agent. */
  readonly agentId: string;
  readonly kind: InboxItemKind;
  readonly messageId: string;
  readonly origin: string;
  readonly text: string;
  readonly reason: string;
  readonly attempts: number;
  readonly acceptedAt: Date;
  readonly deadAt: Date;
  /** What is put back into the inbox; undefined when it never was in one. */
  readonly item: InboxItem | undefined;
  /** The message as it came off the stream, when it never was in an inbox. */
  readonly payload: Uint8Array | undefined;
  /** The request that put it back; it is remembered so that a repetition of the request is recognised. */
  readonly retriedBy: string | undefined;
}
