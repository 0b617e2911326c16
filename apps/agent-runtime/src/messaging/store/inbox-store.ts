import { AppError } from '@daycare/api';
import { groupCalls, type InsertOutcome } from '@daycare/mongo';
import type { Collection, Db } from 'mongodb';
import type { MessageTie } from '../domain/closed-tie';
import { isTooLong, type InboxItem, type MessageRef } from '../domain/inbox-item';
import type { PlacedItem, Recipient } from '../domain/placed-item';
import {
  inboxCollection,
  recipientItems,
  rowId,
  rowIdsOf,
  toRow,
  type InboxOwner,
  type InboxRow,
} from './inbox-row';
import { bytesOf, insertLists } from './insert-rows';
import { readInboxes, type InboxRead } from './read-inboxes';
import { settleRows, type Settlement } from './settle-rows';
import {
  countByAgent,
  findOldestItems,
  findWaitingAgents,
  readBacklog,
  type InboxBacklog,
  type OldestItem,
} from './waiting-rows';
import type { WaitingAgent } from './wake-key';

/** More than a person sends while an agent is working. */
const maxControls = 64;

/** An item that an agent has not handled yet, and the tie that allows it. */
export interface WaitingItem {
  readonly item: InboxItem;
  readonly tie: MessageTie | undefined;
}

/** The ids of stored messages. */
export interface StoredMessages {
  readonly all: ReadonlySet<string>;
  readonly unrouted: ReadonlySet<string>;
}

/**
 * The inboxes of all agents: one row per user and message. A person's items go first, and each of the two lanes keeps
 * the order in which its rows were stored. Concurrent calls of `put`, of `next` and of `settle` share
 * round trips.
 */
export class InboxStore {
  readonly #rows: Collection<InboxRow>;
  readonly #insert: (rows: readonly InboxRow[]) => Promise<readonly InsertOutcome[]>;
  readonly #read: (read: InboxRead) => Promise<InboxItem[]>;
  readonly #settle: (settlement: Settlement) => Promise<void>;

  constructor(db: Db) {
    const rows = db.collection<InboxRow>(inboxCollection);
    this.#rows = rows;
    this.#insert = groupCalls((lists) => insertLists(rows, lists), { bytesOf });
    this.#read = groupCalls((reads: readonly InboxRead[]) => readInboxes(rows, reads));
    this.#settle = groupCalls((settlements: readonly Settlement[]) =>
      settleRows(rows, settlements),
    );
  }

  /**
   * Stores items in this order, after everything that was put earlier: if one is stored, all earlier ones
   * are. An item that its user has received before is not stored again; its outcome is `duplicate`. Throws
   * INVALID_ARGUMENT, and stores nothing, if the text of an item is too long.
   */
  async put(items: readonly PlacedItem<Recipient>[]): Promise<readonly InsertOutcome[]> {
    if (items.length === 0) return [];
    if (items.some(({ item }) => isTooLong(item)))
      throw new AppError('INVALID_ARGUMENT', 'The message is too long');
    return this.#insert(items.map(toRow));
  }

  /** Returns the `afterSequence` with which a message was first accepted; 0 if it is not stored or has none. */
  async findAfterSequence(userId: string, messageId: string): Promise<number> {
    const row = await this.#rows.findOne(
      { _id: rowId(userId, messageId) },
      { projection: { afterSequence: 1 } },
    );
    return row?.afterSequence ?? 0;
  }

  /** Returns an agent's next items: a person's come first, and each lane is sorted oldest first. */
  async next({ id: agentId }: Pick<InboxOwner, 'id'>, limit: number): Promise<InboxItem[]> {
    return this.#read({ agentId, limit });
  }

  /** Like `next`, but returns only items with the trust `person` or `own`. */
  async nextTrusted({ id }: Pick<InboxOwner, 'id'>, limit: number): Promise<InboxItem[]> {
    const rows = await this.#rows
      .find({ waitingFor: id, trust: { $in: ['person', 'own'] } }, { hint: 'waiting_by_lane' })
      .sort({ lane: -1, order: 1 })
      .limit(limit)
      .toArray();
    return rows.flatMap((row) => recipientItems(id, row));
  }

  /** Reports whether the agent will be reset before it handles anything accepted from now on. */
  async isResetWaiting({ id }: InboxOwner): Promise<boolean> {
    const filter = { waitingFor: id, control: true, 'item.kind': 'reset' } as const;
    return (await this.#rows.findOne(filter, { projection: { _id: 1 } })) !== null;
  }

  /** Returns the stops and resets from the person that are waiting for an agent, oldest first. */
  async findControls({ id }: Pick<InboxOwner, 'id'>): Promise<InboxItem[]> {
    const rows = await this.#rows
      .find({ waitingFor: id, control: true }, { hint: 'waiting_controls' })
      .sort({ order: 1 })
      .limit(maxControls)
      .toArray();
    return rows.flatMap((row) => recipientItems(id, row));
  }

  /** Returns the given messages that are waiting for the agent. */
  async find(agent: InboxOwner, messageIds: readonly string[]): Promise<WaitingItem[]> {
    const rows = await this.#rows
      .find({ _id: { $in: idsOf(agent, messageIds) }, waitingFor: agent.id }, { hint: '_id_' })
      .toArray();
    return rows.flatMap((row) =>
      recipientItems(agent.id, row).map((item) => ({ item, tie: row.tie })),
    );
  }

  /**
   * Marks items as handled by an agent. Once the last recipient has handled an item, its content is erased; its id is
   * remembered for `rememberedMs`.
   */
  async settle(agent: InboxOwner, messageIds: readonly string[], now: Date): Promise<void> {
    if (messageIds.length === 0) return;
    await this.#settle({ agent, rowIds: idsOf(agent, messageIds), now });
  }

  /** Returns the id of the lead agent for this message; undefined while it has no recipients or is not stored. */
  async findRecipient(userId: string, messageId: string): Promise<string | undefined> {
    const _id = rowId(userId, messageId);
    return (await this.#rows.findOne({ _id }, { projection: { leadId: 1 } }))?.leadId;
  }

  /** Reports which of these messages were stored, handled or not, and which of those have no recipients yet. */
  async findStored(messages: readonly MessageRef[]): Promise<StoredMessages> {
    if (messages.length === 0) return { all: new Set(), unrouted: new Set() };
    const idOf = new Map(messages.map(({ id, userId }) => [rowId(userId, id), id]));
    const found = await this.#rows
      .find({ _id: { $in: [...idOf.keys()] } }, { projection: { unrouted: 1 } })
      .toArray();
    const ids = (some: typeof found) => new Set(some.flatMap(({ _id }) => idOf.get(_id) ?? []));
    return { all: ids(found), unrouted: ids(found.filter(({ unrouted }) => unrouted)) };
  }

  /**
   * Returns the agents in these shards that have waiting items. Reads one index key for all items with the same
   * `wakeKey`, i.e. for the same agents.
   */
  async waitingAgents(shards: readonly number[]): Promise<WaitingAgent[]> {
    return findWaitingAgents(this.#rows, shards);
  }

  /** Counts the waiting items per agent; agents without any are omitted. */
  async countByAgent(
    agents: readonly Pick<InboxOwner, 'id'>[],
  ): Promise<ReadonlyMap<string, number>> {
    return countByAgent(
      this.#rows,
      agents.map(({ id }) => id),
    );
  }

  /**
   * Returns the number of items waiting for agents, counted up to a limit, and when the oldest was stored, for metrics.
   * Reads a bounded number of keys.
   */
  async backlog(): Promise<InboxBacklog> {
    return readBacklog(this.#rows);
  }

  /**
   * Returns the agents with waiting items and when each agent's oldest item was stored, oldest first. Considers at most
   * 10,000 wake keys.
   */
  async oldestItems(): Promise<OldestItem[]> {
    return findOldestItems(this.#rows);
  }

  async deleteByUser(userId: string): Promise<void> {
    await this.#rows.deleteMany({ _id: rowIdsOf(userId) });
  }
}

function idsOf({ userId }: InboxOwner, messageIds: readonly string[]): string[] {
  return messageIds.map((messageId) => rowId(userId, messageId));
}
