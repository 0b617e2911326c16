import type { Collection, Db, Document } from 'mongodb';
import {
  groupReads,
  makeListDocuments,
  type CollectionIndexes,
  type ListDocuments,
} from '@daycare/mongo';
import type { ListName } from '../domain/listing';
import type { Side } from '../domain/tie/tie';
import {
  fromDocument,
  fromListedDocument,
  listedFields,
  type ListedContent,
  type ListedDocument,
  type StoredNotice,
  type StoredTie,
  type TieDocument,
} from './tie-document';
import { TieWriter, type PublishNotices } from './tie-writer';

export const tieCollection = 'ties';

export const oldestNoticeIndex = 'oldest_notice';

export const tieIndexes: CollectionIndexes = {
  collection: tieCollection,
  shardKey: { _id: 'hashed' },
  indexes: [
    // These include the fingerprints, so that `summarise` reads only the indexes and not the ties.
    { name: 'low_listed', key: { low: 1, lowList: 1, lowKey: 1, lowMark: 1 } },
    { name: 'high_listed', key: { high: 1, highList: 1, highKey: 1, highMark: 1 } },
    {
      name: 'shared_subuser',
      key: { 'shares.subuserId': 1, _id: 1 },
      partialFilterExpression: { 'shares.subuserId': { $exists: true } },
    },
    // These cover only ties with notices that have no receipt yet.
    { name: 'due', key: { dueAt: 1 }, partialFilterExpression: { dueAt: { $exists: true } } },
    {
      name: oldestNoticeIndex,
      key: { 'notices.acceptedAt': 1 },
      partialFilterExpression: { dueAt: { $exists: true } },
    },
    {
      name: 'ended',
      key: { expiresAt: 1 },
      expireAfterSeconds: 0,
      partialFilterExpression: { expiresAt: { $exists: true } },
    },
  ],
};

export interface ListQuery {
  readonly userId: string;
  readonly lists: readonly ListName[];
  /** Only ties that sort after this key. */
  readonly after: string;
  readonly limit: number;
}

/** A tie as it appears in one of a member's lists. */
export interface ListedTie extends ListedContent {
  readonly me: Side;
  readonly key: string;
}

/** The length of each of a user's lists, and a digest of all of them. */
export interface TieSummary {
  readonly counts: Readonly<Partial<Record<ListName, number>>>;
  /** Changes whenever one of the lists changes, and never because of something the user cannot see. */
  readonly digest: string;
}

const sides = ['low', 'high'] as const;

/** Stores ties, and finds them by pair, by member and list, and by shared subuser. */
export class TieStore {
  readonly #findGrouped: (pairId: string) => Promise<StoredTie | undefined>;
  readonly #ties: Collection<TieDocument>;
  readonly #listTies: ListDocuments<ListedDocument>;
  readonly #writer: TieWriter;

  constructor(db: Db) {
    this.#ties = db.collection<TieDocument>(tieCollection);
    this.#listTies = makeListDocuments(db.collection<ListedDocument>(tieCollection));
    this.#writer = new TieWriter(this.#ties);
    this.#findGrouped = groupReads((pairIds) => this.#findMany(pairIds));
  }

  /** Concurrent calls share queries; see `groupReads`. */
  find(pairId: string): Promise<StoredTie | undefined> {
    return this.#findGrouped(pairId);
  }

  /** Sets the function that publishes notices as soon as they are stored. */
  onNotices(publish: PublishNotices): void {
    this.#writer.onNotices(publish);
  }

  /**
   * Stores the tie and its new notices if the tie has not changed since it was read; resolves to false otherwise.
   * Throws when the outcome is unknown; a retry finds the outcome among the remembered requests.
   */
  save(tie: StoredTie, ...notices: readonly (StoredNotice | undefined)[]): Promise<boolean> {
    return this.#writer.save(
      tie,
      notices.filter((notice) => notice !== undefined),
    );
  }

  /** Deletes the tie if it has not changed since it was read, but keeps its notices until they have their receipts. */
  remove(tie: StoredTie, ...notices: readonly (StoredNotice | undefined)[]): Promise<boolean> {
    return this.#writer.remove(
      tie,
      notices.filter((notice) => notice !== undefined),
    );
  }

  /** Returns one page of some of a user's lists, merged in key order; always makes two queries. */
  async list({ userId, lists, after, limit }: ListQuery): Promise<ListedTie[]> {
    const halves = await Promise.all(
      sides.map(async (me) => {
        const found = await this.#listTies(
          { [me]: userId, [`${me}List`]: { $in: [...lists] }, [`${me}Key`]: { $gt: after } },
          { projection: listedFields, sort: { [`${me}Key`]: 1 }, limit },
        );
        return found.map((document): ListedTie => {
          const { pair, tie } = fromListedDocument(document);
          return { pair, tie, me, key: (me === 'low' ? document.lowKey : document.highKey) ?? '' };
        });
      }),
    );
    return halves
      .flat()
      .sort((a, b) => (a.key < b.key ? -1 : 1))
      .slice(0, limit);
  }

  /** Counts and digests all of a user's lists. Reads only the indexes, so it stays fast for very long lists. */
  async summarise(userId: string): Promise<TieSummary> {
    const half = (me: Side): Document[] => [
      { $match: { [me]: userId, [`${me}List`]: { $gt: '' } } },
      { $group: { _id: `$${me}List`, count: { $sum: 1 }, marks: { $sum: `$${me}Mark` } } },
    ];
    const highs = { $unionWith: { coll: tieCollection, pipeline: half('high') } };
    const lists = await this.#ties
      .aggregate<{ _id: ListName; count: number; marks: unknown }>([...half('low'), highs], {
        hint: 'low_listed',
      })
      .toArray();
    const counts: Partial<Record<ListName, number>> = {};
    for (const { _id: list, count } of lists) counts[list] = (counts[list] ?? 0) + count;
    const digests = lists.map(({ _id: list, count, marks }) => [list, count, marks].join('-'));
    return { counts, digest: digests.sort().join('.') };
  }

  /** Counts the pending friend requests from each of these users; users without any are left out. */
  async countPendingOut(userIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const halves = await Promise.all(
      sides.map((me) =>
        this.#ties
          .aggregate<{ _id: string; count: number }>([
            { $match: { [me]: { $in: [...userIds] }, [`${me}List`]: 'request_out' } },
            { $group: { _id: `$${me}`, count: { $sum: 1 } } },
          ])
          .toArray(),
      ),
    );
    const counts = new Map<string, number>();
    for (const { _id, count } of halves.flat()) counts.set(_id, (counts.get(_id) ?? 0) + count);
    return counts;
  }

  /** Counts the users whom a user has blocked; the result is exact only below `limit`. */
  async countBlocks(userId: string, limit: number): Promise<number> {
    const halves = await Promise.all(
      sides.map((me) =>
        this.#ties.countDocuments({ [me]: userId, [`${me}List`]: 'block' }, { limit }),
      ),
    );
    return halves.reduce((sum, count) => sum + count, 0);
  }

  /** Returns up to `limit` of a user's ties, including those that no list shows. */
  async findByMember(userId: string, limit: number): Promise<StoredTie[]> {
    const halves = await Promise.all(
      sides.map((me) =>
        this.#ties
          .find({ [me]: userId })
          .limit(limit)
          .toArray(),
      ),
    );
    return halves.flat().slice(0, limit).map(fromDocument);
  }

  /** Returns up to `limit` ties in which a subuser is shared, sorted by id, starting after the id `after`. */
  async findBySharedSubuser(subuserId: string, limit: number, after = ''): Promise<StoredTie[]> {
    const found = await this.#ties
      .find({ 'shares.subuserId': subuserId, _id: { $gt: after } })
      .sort({ _id: 1 })
      .limit(limit)
      .toArray();
    return found.map(fromDocument);
  }

  async #findMany(pairIds: readonly string[]): Promise<ReadonlyMap<string, StoredTie>> {
    const found = await this.#ties
      .find({ _id: { $in: [...pairIds] } }, { batchSize: pairIds.length + 1 })
      .toArray();
    return new Map(found.map((document) => [document._id, fromDocument(document)]));
  }
}
