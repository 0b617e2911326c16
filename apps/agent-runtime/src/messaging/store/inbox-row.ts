import type { Timestamp } from 'mongodb';
import { serverOrder, type CollectionIndexes } from '@daycare/mongo';
import { isControl, type AcceptedItem, type InboxItem } from '../domain/inbox-item';
import { closingKey, type MessageTie } from '../domain/closed-tie';
import { provenanceOf, type Provenance } from '../domain/item-source';
import type { PlacedItem, Recipient } from '../domain/placed-item';
import { wakeKeyOf } from './wake-key';

/** The part of an agent that identifies its inbox. */
export interface InboxOwner {
  readonly id: string;
  readonly userId: string;
}

/** A user's item, and the agents that still have to handle it. */
export interface InboxRow extends Provenance {
  /** `<user>/<message>`: a user receives a message once. */
  readonly _id: string;
  readonly userId: string;
  /** Assigned by MongoDB at insertion: items stored earlier have a lower value. */
  readonly order: Timestamp;
  readonly acceptedAt: Date;
  /** The user who sent the item; absent when no user did. */
  readonly senderUserId?: string;
  /** Erased once the last recipient has handled it, or once it is dropped. */
  readonly item?: ItemContent;
  /** Present while the row is in the mailbox: until its recipients are chosen or it is dropped. */
  readonly unrouted?: true;
  readonly leadId?: string;
  readonly shard?: number;
  /** The agents that have not handled the item yet; absent when there are none. */
  readonly waitingFor?: readonly string[];
  /** The shard and `waitingFor` as one value; see `wakeKeyOf`. */
  readonly wakeKey?: string;
  readonly afterSequence?: number;
  /** Present on an item that ends the turn in progress. */
  readonly control?: true;
  /**
   * The tie that allows the item; absent if none is needed, e.g. between one owner's agents. Removed once the item is
   * no longer waiting, or when the tie ends after a turn has taken the item, which that turn may still handle.
   */
  readonly tie?: MessageTie;
  /** The `closingKey` of the closing because of which the item was dropped before it was handled. */
  readonly droppedBy?: string;
  /** Set once the item has been handled or dropped; until this time, a duplicate is recognised. */
  readonly expiresAt?: Date;
}

type Acceptance = 'userId' | 'messageId' | 'acceptedAt';
type ContentOf<T> = T extends unknown ? Omit<T, Acceptance> : never;
export type ItemContent = ContentOf<AcceptedItem>;

export const inboxCollection = 'inbox';

/**
 * How long the id of a handled message is remembered: longer than NATS keeps messages. If the sending service is cut
 * off from NATS for even longer before it has the receipt, the message may be delivered twice.
 */
export const rememberedMs = 8 * 24 * 60 * 60 * 1000;

const waitingOnly = { partialFilterExpression: { waitingFor: { $exists: true } } };

export const inboxIndexes: CollectionIndexes = {
  collection: inboxCollection,
  shardKey: { userId: 'hashed' },
  indexes: [
    // A person's items sort before all others. The key includes the trust, so that guests' rows can be skipped
    // without reading them.
    {
      name: 'waiting_by_lane',
      key: { waitingFor: 1, lane: -1, order: 1, trust: 1 },
      ...waitingOnly,
    },
    {
      name: 'waiting_controls',
      key: { waitingFor: 1, order: 1 },
      partialFilterExpression: { control: true, waitingFor: { $exists: true } },
    },
    // Rows that wait for the same agents share a wake key; a poll, or a search for the oldest rows, reads each key
    // once.
    {
      name: 'wake_key',
      key: { wakeKey: 1, order: 1 },
      partialFilterExpression: { wakeKey: { $exists: true } },
    },
    {
      name: 'unrouted',
      key: { userId: 1, order: 1 },
      partialFilterExpression: { unrouted: true },
    },
    // Contains waiting rows only.
    {
      name: 'tie',
      key: { 'tie.id': 1, 'tie.version': 1, 'tie.subuserId': 1, 'tie.from': 1 },
      partialFilterExpression: { 'tie.id': { $exists: true } },
    },
    {
      name: 'dropped',
      key: { droppedBy: 1 },
      partialFilterExpression: { droppedBy: { $exists: true } },
    },
    {
      name: 'expiry',
      key: { expiresAt: 1 },
      expireAfterSeconds: 0,
      partialFilterExpression: { expiresAt: { $exists: true } },
    },
  ],
};

export function toRow(placed: PlacedItem<Recipient>): InboxRow {
  const { item: accepted, recipients, afterSequence, tie, droppedBy } = placed;
  const { userId, messageId, acceptedAt, ...item } = accepted;
  const senderUserId = senderOf(accepted);
  return {
    _id: rowId(userId, messageId),
    userId,
    order: serverOrder(),
    acceptedAt,
    ...provenanceOf(accepted, recipients[0]?.ownerUserId),
    ...(senderUserId === undefined ? {} : { senderUserId }),
    ...(isControl(accepted) ? { control: true } : {}),
    ...(droppedBy
      ? { droppedBy: closingKey(droppedBy), expiresAt: new Date(Date.now() + rememberedMs) }
      : {
          item,
          ...(tie ? { tie } : {}),
          ...(routingFields(recipients, isControl(accepted)) ?? { unrouted: true }),
          ...(afterSequence === undefined ? {} : { afterSequence }),
        }),
  };
}

/** Returns the fields that a row has once its recipients are chosen; undefined without recipients. */
export function routingFields(recipients: readonly Recipient[], isControl = false) {
  const [lead] = recipients;
  if (!lead) return undefined;
  const { id: leadId, shard } = lead;
  const waitingFor = recipients.map(({ id }) => id);
  return {
    leadId,
    shard,
    waitingFor,
    wakeKey: wakeKeyOf({ shard, agentIds: waitingFor, isControl }),
  };
}

/** Returns a row's item as this recipient receives it: silent for all but the lead. Empty once the item is erased. */
export function recipientItems(agentId: string, row: InboxRow): InboxItem[] {
  const { _id, userId, acceptedAt, item } = row;
  if (!item) return [];
  const messageId = _id.slice(userId.length + 1);
  const common = { agentId, userId, messageId, acceptedAt };
  if (item.kind !== 'system_message') return [{ ...item, ...common }];
  return [{ ...item, ...common, silent: item.silent || agentId !== row.leadId }];
}

export function rowId(userId: string, messageId: string): string {
  return `${userId}/${messageId}`;
}

/** Returns a filter for the ids of a user's rows: `0` is the character after `/`. */
export function rowIdsOf(userId: string): { readonly $gt: string; readonly $lt: string } {
  return { $gt: `${userId}/`, $lt: `${userId}0` };
}

function senderOf(item: AcceptedItem): string | undefined {
  if (item.kind !== 'system_message') return item.userId;
  return item.sender?.userId ?? item.senderUserId;
}
