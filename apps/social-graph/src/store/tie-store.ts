import type { ClientSession, Collection, Db } from 'mongodb';
import { violatedIndex, type CollectionIndexes } from '@daycare/mongo';
import type { ListName } from '../domain/listing';
import type { Side } from '../domain/tie';
import { fromDocument, toDocument, type StoredTie, type TieDocument } from './tie-document';

const collection = 'ties';

export const tieIndexes: CollectionIndexes = {
  collection,
  indexes: [
    // With the marks, so that a survey of many ties reads none of them.
    { name: 'low_listed', key: { low: 1, lowList: 1, lowKey: 1, lowMark: 1 } },
    { name: 'high_listed', key: { high: 1, highList: 1, highKey: 1, highMark: 1 } },
    { name: 'shared_subuser', key: { 'shares.subuserId': 1 }, sparse: true },
  ],
};

export interface ListQuery {
  readonly userId: string;
  readonly lists: readonly ListName[];
  /** Only what sorts after this key. */
  readonly after: string;
  readonly limit: number;
}

/** A tie in a list of one of its members. */
export interface ListedTie extends StoredTie {
  readonly me: Side;
  readonly key: string;
}

/** What the lists of a user have in them, without looking at every tie. */
export interface TieSurvey {
  readonly counts: Readonly<Partial<Record<ListName, number>>>;
  /** Differs when something in a list of the user does, and by nothing that the user cannot see. */
  readonly digest: string;
}

const sides = ['low', 'high'] as const;

/** Ties by pair, by member and list, and by shared subuser. */
export class TieStore {
  readonly #ties: Collection<TieDocument>;

  constructor(db: Db) {
    this.#ties = db.collection<TieDocument>(collection);
  }

  async find(pairId: string): Promise<StoredTie | undefined> {
    const found = await this.#ties.findOne({ _id: pairId });
    return found ? fromDocument(found) : undefined;
  }

  /**
   * Stores the tie if it is still as it was read; false when somebody else was faster. Inside a
   * transaction such a loss may also surface as a write conflict, which the transaction retries.
   */
  async save(tie: StoredTie, session?: ClientSession): Promise<boolean> {
    const options = session ? { session } : {};
    const next = toDocument({ ...tie, version: tie.version + 1 });
    if (tie.version > 0) {
      const { _id, version } = { ...next, version: tie.version };
      const { matchedCount } = await this.#ties.replaceOne({ _id, version }, next, options);
      return matchedCount === 1;
    }
    try {
      await this.#ties.insertOne(next, options);
      return true;
    } catch (error) {
      if (violatedIndex(error) === '_id_') return false;
      throw error;
    }
  }

  /** One page of some lists of a user, in the order of their keys: two queries, whatever the size. */
  async list({ userId, lists, after, limit }: ListQuery): Promise<ListedTie[]> {
    const halves = await Promise.all(
      sides.map(async (me) => {
        const found = await this.#ties
          .find({ [me]: userId, [`${me}List`]: { $in: [...lists] }, [`${me}Key`]: { $gt: after } })
          .sort({ [`${me}Key`]: 1 })
          .limit(limit)
          .toArray();
        return found.map((document) => ({
          ...fromDocument(document),
          me,
          key: (me === 'low' ? document.lowKey : document.highKey) ?? '',
        }));
      }),
    );
    return halves
      .flat()
      .sort((a, b) => (a.key < b.key ? -1 : 1))
      .slice(0, limit);
  }

  /** Read from the indexes alone: many more ties than a page shows take little more time. */
  async survey(userId: string): Promise<TieSurvey> {
    const halves = await Promise.all(
      sides.map((me) =>
        this.#ties
          .aggregate<{ _id: ListName; count: number; marks: unknown }>(
            [
              { $match: { [me]: userId, [`${me}List`]: { $gt: '' } } },
              { $group: { _id: `$${me}List`, count: { $sum: 1 }, marks: { $sum: `$${me}Mark` } } },
            ],
            { hint: `${me}_listed` },
          )
          .toArray(),
      ),
    );
    const counts: Partial<Record<ListName, number>> = {};
    for (const { _id: list, count } of halves.flat()) counts[list] = (counts[list] ?? 0) + count;
    const digests = halves.flatMap((lists) =>
      lists.map(({ _id: list, count, marks }) => [list, count, marks].join('-')).sort(),
    );
    return { counts, digest: digests.join('.') };
  }

  /** How many requests of a user wait for an answer, counted no further than `limit`. */
  async countPendingOut(userId: string, limit: number, session: ClientSession): Promise<number> {
    const counts: number[] = [];
    // One after the other: a transaction runs one operation at a time.
    for (const me of sides) {
      const filter = { [me]: userId, [`${me}List`]: 'request_out' as const };
      counts.push(await this.#ties.countDocuments(filter, { limit, session }));
    }
    return counts.reduce((sum, count) => sum + count, 0);
  }

  /** Some ties of a user that are in any list of either side, for clearing up after it. */
  async findSomeOf(userId: string, limit: number): Promise<StoredTie[]> {
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

  async findSomeSharing(subuserId: string, limit: number): Promise<StoredTie[]> {
    const found = await this.#ties.find({ 'shares.subuserId': subuserId }).limit(limit).toArray();
    return found.map(fromDocument);
  }

  async remove({ pair, version }: StoredTie, session: ClientSession): Promise<boolean> {
    const { deletedCount } = await this.#ties.deleteOne({ _id: pair.id, version }, { session });
    return deletedCount === 1;
  }
}
