import type { Collection, Db } from 'mongodb';
import type { Recipient } from '../domain/placed-item';
import { inboxCollection, rememberedMs, routingFields, rowId, type InboxRow } from './inbox-row';

/**
 * How many messages were routed, whether a turn has to handle any of them, and whether more messages may be waiting
 * for recipients.
 */
export interface RoutingResult {
  readonly count: number;
  readonly needsTurn: boolean;
  readonly hasMore: boolean;
}

/** Users' mailboxes: the rows of the inbox that have no recipients yet. */
export class MailboxStore {
  readonly #rows: Collection<InboxRow>;

  constructor(db: Db) {
    this.#rows = db.collection(inboxCollection);
  }

  /** Returns the given users who have messages without recipients. */
  async usersWithUnrouted(userIds: readonly string[]): Promise<string[]> {
    if (userIds.length === 0) return [];
    return this.#rows.distinct('userId', { userId: { $in: [...userIds] }, unrouted: true });
  }

  /**
   * Assigns these recipients to up to `limit` messages in a user's mailbox, oldest first, so that an agent never sees a
   * message before an older one. Does nothing without recipients.
   */
  async route(
    userId: string,
    recipients: readonly Recipient[],
    limit: number,
  ): Promise<RoutingResult> {
    const unrouted = { userId, unrouted: true } as const;
    const found = await this.#rows
      .find(unrouted, { projection: { order: 1, 'item.silent': 1 }, hint: 'unrouted' })
      .sort({ order: 1 })
      .limit(limit)
      .toArray();
    const last = found.at(-1);
    const routing = routingFields(recipients);
    if (!last || !routing) return { count: 0, needsTurn: false, hasMore: false };
    // The hint makes the update change the rows in the order they were stored.
    await this.#rows.updateMany(
      { ...unrouted, order: { $lte: last.order } },
      { $set: routing, $unset: { unrouted: 1 } },
      { hint: 'unrouted' },
    );
    const needsTurn = found.some(({ item }) => !(item as { silent?: boolean } | undefined)?.silent);
    return { count: found.length, needsTurn, hasMore: found.length === limit };
  }

  /** Removes all messages with the same origin as this message from the user's mailbox, except the message itself. */
  async dropUnrouted(
    { userId, messageId, origin }: { userId: string; messageId: string; origin: string },
    now: Date,
  ): Promise<void> {
    await this.#rows.updateMany(
      {
        userId,
        unrouted: true,
        'item.origin': origin,
        _id: { $ne: rowId(userId, messageId) },
      },
      {
        $set: { expiresAt: new Date(now.getTime() + rememberedMs) },
        $unset: { unrouted: 1, item: 1 },
      },
      { hint: 'unrouted' },
    );
  }
}
