import type { CollectionIndexes } from '@daycare/mongo';
import type { Binary } from 'mongodb';

export const outboxCollection = 'outbox';
export const receiptsCollection = 'outbox_receipts';

/** An accepted message whose receipt has not come yet. */
export interface OutboxRow {
  /** The message's id. */
  readonly _id: string;
  readonly lane: string;
  /** Orders the rows of a lane that exist at the same time. */
  readonly seq: number;
  readonly recipientUserId: string;
  /** Set when the message is for a service rather than for agents of the recipient. */
  readonly recipientService?: string;
  readonly senderUserId: string;
  /** The encoded SystemMessage. */
  readonly payload: Binary;
  readonly traceparent?: string;
  readonly acceptedAt: Date;
  /** How often it was published without a receipt. */
  readonly publications: number;
  readonly publishedAt?: Date;
  /** From when the head of a lane is to be published, for the first time or again. */
  readonly nextAttemptAt: Date;
  /** Which pass of which relay published it last. */
  readonly claim?: string;
}

/** What became of a message, remembered for a while after its row and its text are gone. */
export interface OutboxReceipt {
  readonly _id: string;
  readonly outcome: 'delivered' | 'dead';
  readonly reason?: string;
  readonly senderUserId: string;
  readonly acceptedAt: Date;
  readonly at: Date;
  readonly expiresAt: Date;
}

/** To be ensured at start by every service that has an outbox. */
export const outboxIndexes: readonly CollectionIndexes[] = [
  {
    collection: outboxCollection,
    indexes: [
      { name: 'lane_seq', key: { lane: 1, seq: 1 }, unique: true },
      { name: 'accepted_at', key: { acceptedAt: 1 } },
    ],
  },
  {
    collection: receiptsCollection,
    indexes: [{ name: 'expires_at', key: { expiresAt: 1 }, expireAfterSeconds: 0 }],
  },
];
