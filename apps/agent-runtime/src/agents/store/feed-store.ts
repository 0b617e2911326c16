import { Timestamp, type Collection, type Db, type IndexDescription } from 'mongodb';
import { readSince, serverOrder, type ReadTimes } from '@daycare/mongo';
import { recordsOf, type HistoryEntry } from '../domain/history-entry';
import type { HistoryRecord } from '../domain/context/history-record';
import { charactersIn } from './sizes/characters-in';

/** An entry as it is stored. */
export interface HistoryDocument extends HistoryEntry {
  /** MongoDB's logical clock at the time of the insert; present if a connector receives the records. */
  readonly feedOrder?: Timestamp;
}

/** The records that were stored together, and their position in the feed. */
export interface FeedEntry {
  /** The entry's position in the feed: its `feedOrder` as a number. */
  readonly order: bigint;
  readonly agentId: string;
  readonly userId: string;
  readonly records: readonly HistoryRecord[];
}

/** Which part of a feed to list. */
export interface FeedRange {
  /** Only positions above this one. */
  readonly after: bigint;
  /** A time that an earlier read returned as committed; 0 when there was none. */
  readonly since: bigint;
  readonly limit: number;
}

/**
 * MongoDB aborts an insert that takes longer than this, so that no entry appears in a feed long after entries with a
 * higher position.
 */
export const maxInsertMs = 8_000;

const feedIndexName = 'feed_order';

export const feedIndex: IndexDescription = {
  name: feedIndexName,
  key: { feed: 1, feedOrder: 1 },
  partialFilterExpression: { feedOrder: { $exists: true } },
};

/** Only entries with records appear in the feed. */
export function toDocument(entry: HistoryEntry): HistoryDocument {
  const isShown = entry.feed !== undefined && entry.events.length > 0;
  return isShown ? { ...entry, feedOrder: serverOrder() } : { ...entry };
}

const maxPageCharacters = 1 << 20;

/** The records of a connector's agents, in the order of MongoDB's clock. */
export class FeedStore {
  readonly #db: Db;
  readonly #entries: Collection<HistoryDocument>;

  constructor(db: Db) {
    this.#db = db;
    this.#entries = db.collection('history');
  }

  /**
   * Lists the positions in a feed above `after`, ascending, from the index alone. No write up to `since` is
   * missing.
   */
  async listFeedOrders(
    feed: string,
    { after, since, limit }: FeedRange,
  ): Promise<ReadTimes & { readonly orders: readonly bigint[] }> {
    const { found, ...times } = await readSince(this.#db.client, since, (session) =>
      this.#entries
        .find(
          { feed, feedOrder: { $gt: new Timestamp(after) } },
          { projection: { _id: 0, feedOrder: 1 }, hint: feedIndexName, session },
        )
        .sort({ feedOrder: 1 })
        .limit(limit)
        .toArray(),
    );
    return { orders: found.map(toOrder), ...times };
  }

  /** Lists the highest positions in a feed, descending, from the index alone. */
  async newestFeedOrders(feed: string, limit: number): Promise<readonly bigint[]> {
    const found = await this.#entries
      .find(
        { feed, feedOrder: { $exists: true } },
        { projection: { _id: 0, feedOrder: 1 }, hint: feedIndexName },
      )
      .sort({ feedOrder: -1 })
      .limit(limit)
      .toArray();
    return found.map(toOrder);
  }

  /**
   * Reads the entries at these positions, ascending. `isTruncated` means that the last ones may have been left out
   * because the earlier ones are long.
   */
  async readEntries(
    feed: string,
    orders: readonly bigint[],
  ): Promise<{ readonly entries: readonly FeedEntry[]; readonly isTruncated: boolean }> {
    if (orders.length === 0) return { entries: [], isTruncated: false };
    const cursor = this.#entries
      .find(
        { feed, feedOrder: { $in: orders.map((order) => new Timestamp(order)) } },
        { projection: { _id: 0 }, hint: feedIndexName, batchSize: 20 },
      )
      .sort({ feedOrder: 1 });
    const entries: FeedEntry[] = [];
    let characters = 0;
    for await (const entry of cursor) {
      const { agentId, userId } = entry;
      entries.push({ order: toOrder(entry), agentId, userId, records: recordsOf(entry) });
      characters += charactersIn(entry);
      if (characters > maxPageCharacters) return { entries, isTruncated: true };
    }
    return { entries, isTruncated: false };
  }
}

function toOrder({ feedOrder }: HistoryDocument): bigint {
  return BigInt.asUintN(64, feedOrder?.toBigInt() ?? 0n);
}
