import type { CollectionIndexes } from '@daycare/mongo';
import type { Binary } from 'mongodb';

import type { BudgetUse } from './budgets';

export const outboxCollection = 'outbox';

/** The tie between two users that a message requires; see `TieRef` in the contracts. */
export interface RowTie {
  readonly id: string;
  readonly version: number;
  /** The shared subuser that sends or receives the message. */
  readonly subuserId?: string;
}

/** The part of a row that remains after its receipt, to recognise a retry and to report the outcome. */
interface RowIdentity {
  /** The message's id. */
  readonly _id: string;
  readonly lane: string;
  /** The position in the lane, one higher than that of the row it was placed behind. */
  readonly seq: number;
  readonly senderUserId: string;
  readonly acceptedAt: Date;
  /** How much of the budget its sender had used, this message included. */
  readonly budget?: BudgetUse;
}

/** An accepted message without a receipt. */
export interface OpenRow extends RowIdentity {
  readonly open: true;
  readonly recipientUserId: string;
  /** Set when the message is for a service rather than for agents of the recipient. */
  readonly recipientService?: string;
  /** The encoded SystemMessage. */
  readonly payload: Binary;
  readonly traceparent?: string;
  readonly tie?: RowTie;
  /** Messages that had no receipt when this one was accepted and have to be handled first. */
  readonly predecessors: readonly string[];
  /** How many times it was published without getting a receipt. */
  readonly publications: number;
  readonly publishedAt: Date;
  /** When the row is to be published, for the first time or again. */
  readonly nextAttemptAt: Date;
  /** Identifies the last batch in which a relay claimed the row. */
  readonly claim?: string;
}

/** The receipt of a message, kept for a while after its text was erased. */
export interface ClosedRow extends RowIdentity {
  readonly open: false;
  readonly outcome: 'delivered' | 'dead';
  readonly reason?: string;
  readonly settledAt: Date;
  readonly expiresAt: Date;
  /** Set when the message was ended with its tie; a late receipt may still say that it was delivered. */
  readonly ended?: true;
  /** The service that an ended message was for, to know whose receipt may still arrive. */
  readonly recipientService?: string;
}

export type OutboxRow = OpenRow | ClosedRow;

/** The fields that a receipt erases. */
export const erasedFields = {
  recipientUserId: true,
  recipientService: true,
  payload: true,
  traceparent: true,
  tie: true,
  predecessors: true,
  publications: true,
  publishedAt: true,
  nextAttemptAt: true,
  claim: true,
} as const satisfies Partial<Record<keyof OpenRow, true>>;

const { recipientService: _, ...fieldsErasedWithTie } = erasedFields;

/** The fields that are erased when a message is ended with its tie. */
export { fieldsErasedWithTie };

/** The unique index that prevents two rows from being placed behind the same one. */
const laneIndex = 'lane_seq';

/** The index for ending the open messages of a tie and for counting those of a sender. */
export const openTieIndex = 'open_tie';

/** The reason recorded for a message whose tie has ended. */
export const noLongerAllowedReason = 'no longer allowed';

/** At least as long as NATS keeps a copy that it could deliver again. */
export const receiptTtlMs = 7 * 24 * 60 * 60 * 1000;

const openOnly = { partialFilterExpression: { open: true } } as const;

/** Every service with an outbox must ensure these at its start. */
export const outboxIndexes: readonly CollectionIndexes[] = [
  {
    collection: outboxCollection,
    // Positions in a lane and numbers in a budget must both be unique, and no shard key can start both indexes.
    shardKey: 'unsharded',
    indexes: [
      { name: laneIndex, key: { lane: 1, seq: -1 }, unique: true },
      { name: 'due', key: { nextAttemptAt: 1 }, ...openOnly },
      {
        name: 'budget',
        key: { 'budget.key': 1, 'budget.number': -1 },
        unique: true,
        partialFilterExpression: { 'budget.key': { $exists: true } },
      },
      {
        name: openTieIndex,
        key: { 'tie.id': 1, 'budget.key': 1 },
        partialFilterExpression: { open: true, 'tie.id': { $exists: true } },
      },
      { name: 'oldest_open', key: { acceptedAt: 1 }, ...openOnly },
      {
        name: 'expires_at',
        key: { expiresAt: 1 },
        expireAfterSeconds: 0,
        partialFilterExpression: { open: false },
      },
    ],
  },
];
