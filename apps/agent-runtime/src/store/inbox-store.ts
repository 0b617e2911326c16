import type { AnyBulkWriteOperation, Collection, Db, Document, Timestamp } from 'mongodb';
import { againOnDuplicate, type CollectionIndexes } from '@daycare/mongo';
import type { InboxItem } from '../domain/inbox-item';

/** An item with the number of the shard its agent belongs to. */
export interface PlacedItem {
  readonly item: InboxItem;
  readonly shard: number;
  /** Answered again to whoever sends the same message again. */
  readonly afterSequence?: number;
}

interface InboxRow {
  /** `<agent>/<message>`: an agent gets a message once. */
  readonly _id: string;
  readonly agentId: string;
  readonly userId: string;
  readonly shard: number;
  readonly messageId: string;
  /** MongoDB's logical clock when the item was accepted: what was accepted before has a lower one. */
  readonly order: Timestamp;
  readonly waiting: boolean;
  readonly acceptedAt: Date;
  /** What it says; erased when it has been handled. */
  readonly item?: InboxItem;
  readonly afterSequence?: number;
  /** Set when it has been handled: until then it is recognised if it comes again. */
  readonly expiresAt?: Date;
}

const collection = 'inbox';
/** Longer than NATS keeps messages; an outbox that was cut off for longer than this is heard twice. */
const rememberedMs = 8 * 24 * 60 * 60 * 1000;
const waitingOnly = { partialFilterExpression: { waiting: true } };

export const inboxIndexes: CollectionIndexes = {
  collection,
  indexes: [
    { name: 'waiting', key: { shard: 1, agentId: 1, order: 1, _id: 1 }, ...waitingOnly },
    { name: 'oldest', key: { acceptedAt: 1 }, ...waitingOnly },
    { name: 'user_message', key: { userId: 1, messageId: 1 } },
    {
      name: 'expiry',
      key: { expiresAt: 1 },
      expireAfterSeconds: 0,
      partialFilterExpression: { expiresAt: { $exists: true } },
    },
  ],
};

/** What waits for each agent, strictly in the order in which it was accepted. */
export class InboxStore {
  readonly #rows: Collection<InboxRow>;

  constructor(db: Db) {
    this.#rows = db.collection(collection);
  }

  /**
   * Accepts an item for each of some agents, in one call; what an agent has had before is left as it is.
   * Two of one agent would count as accepted at the same moment.
   */
  async put(items: readonly PlacedItem[]): Promise<void> {
    if (items.length === 0) return;
    const upserts = items.map(toUpsert);
    await againOnDuplicate(() => this.#rows.bulkWrite(upserts, { ordered: true }));
  }

  /** As `put`, for one item; returns what was answered when the message came for the first time. */
  async post(placed: PlacedItem): Promise<{ readonly afterSequence: number }> {
    const filter = { _id: rowId(placed.item) };
    const { upsertedCount } = await againOnDuplicate(() =>
      this.#rows.updateOne(filter, acceptance(placed), { upsert: true }),
    );
    if (upsertedCount > 0) return { afterSequence: placed.afterSequence ?? 0 };
    const row = await this.#rows.findOne(filter, { projection: { afterSequence: 1 } });
    return { afterSequence: row?.afterSequence ?? 0 };
  }

  /** The next items of an agent, oldest first. */
  async next(agent: InboxOwner, limit: number): Promise<InboxItem[]> {
    const { id: agentId, shard } = agent;
    const rows = await this.#rows
      .find({ shard, agentId, waiting: true }, { projection: { item: 1 } })
      .sort({ order: 1, _id: 1 })
      .limit(limit)
      .toArray();
    return rows.flatMap(({ item }) => (item ? [item] : []));
  }

  /** Whether the agent will be reset before it comes to anything that is accepted from now on. */
  async isResetWaiting({ id: agentId, shard }: InboxOwner): Promise<boolean> {
    const filter = { shard, agentId, waiting: true, 'item.kind': 'reset' };
    return (await this.#rows.findOne(filter, { projection: { _id: 1 } })) !== null;
  }

  /** Items by their messages, handled ones left out. */
  async find(agentId: string, messageIds: readonly string[]): Promise<InboxItem[]> {
    const rows = await this.#rows
      .find({ _id: { $in: idsOf(agentId, messageIds) }, waiting: true })
      .toArray();
    return rows.flatMap(({ item }) => (item ? [item] : []));
  }

  /** Takes handled items off: what they said is erased, that they came is remembered. */
  async settle(agentId: string, messageIds: readonly string[], now: Date): Promise<void> {
    const expiresAt = new Date(now.getTime() + rememberedMs);
    await this.#rows.updateMany(
      { _id: { $in: idsOf(agentId, messageIds) }, waiting: true },
      { $set: { waiting: false, expiresAt }, $unset: { item: 1 } },
    );
  }

  /** The agent of a user that has had this message; undefined when none has. */
  async findRecipient(userId: string, messageId: string): Promise<string | undefined> {
    const found = await this.#rows.findOne({ userId, messageId }, { projection: { agentId: 1 } });
    return found?.agentId;
  }

  /** Agents of these shards that something waits for, with their shards. */
  async waitingAgents(shards: readonly number[]): Promise<{ _id: string; shard: number }[]> {
    return this.#rows
      .aggregate<{ _id: string; shard: number }>([
        { $match: { shard: { $in: [...shards] }, waiting: true } },
        { $group: { _id: '$agentId', shard: { $first: '$shard' } } },
      ])
      .toArray();
  }

  /** How many items wait for each of these agents; those for whom none does are left out. */
  async counts(agents: readonly InboxOwner[]): Promise<ReadonlyMap<string, number>> {
    const shard = { $in: [...new Set(agents.map((agent) => agent.shard))] };
    const agentId = { $in: agents.map(({ id }) => id) };
    const found = await this.#rows
      .aggregate<{ _id: string; count: number }>([
        { $match: { shard, agentId, waiting: true } },
        { $group: { _id: '$agentId', count: { $sum: 1 } } },
      ])
      .toArray();
    return new Map(found.map(({ _id, count }) => [_id, count]));
  }

  /** How much waits in all inboxes, and since when, for metrics. */
  async backlog(): Promise<{ readonly items: number; readonly oldestAt: Date | undefined }> {
    const [items, oldest] = await Promise.all([
      this.#rows.countDocuments({ waiting: true }, { hint: 'oldest' }),
      this.#rows.findOne({ waiting: true }, { sort: { acceptedAt: 1 }, hint: 'oldest' }),
    ]);
    return { items, oldestAt: oldest?.acceptedAt };
  }

  async deleteOfUser(userId: string): Promise<void> {
    await this.#rows.deleteMany({ userId });
  }
}

/** The part of an agent that its inbox is found by. */
export interface InboxOwner {
  readonly id: string;
  readonly shard: number;
}

function toUpsert(placed: PlacedItem): AnyBulkWriteOperation<InboxRow> {
  const filter = { _id: rowId(placed.item) };
  return { updateOne: { filter, update: acceptance(placed), upsert: true } };
}

/**
 * A row that is there already stays exactly as it is, erased text included. The time of acceptance is
 * the database's own, so that no clock of ours decides an order; texts are literals, so that none of
 * them is taken for an expression.
 */
function acceptance(placed: PlacedItem): Document[] {
  const fresh = { $mergeObjects: [{ $literal: literalRow(placed) }, { order: '$$CLUSTER_TIME' }] };
  const isNew = { $eq: [{ $type: '$order' }, 'missing'] };
  return [{ $replaceWith: { $cond: [isNew, fresh, '$$ROOT'] } }];
}

function literalRow({ item, shard, afterSequence }: PlacedItem): Omit<InboxRow, 'order'> {
  const { agentId, userId, messageId, acceptedAt } = item;
  const row = { _id: rowId(item), agentId, userId, shard, messageId, acceptedAt, item };
  return { ...row, waiting: true, ...(afterSequence === undefined ? {} : { afterSequence }) };
}

function rowId({ agentId, messageId }: Pick<InboxItem, 'agentId' | 'messageId'>): string {
  return `${agentId}/${messageId}`;
}

function idsOf(agentId: string, messageIds: readonly string[]): string[] {
  return messageIds.map((messageId) => rowId({ agentId, messageId }));
}
