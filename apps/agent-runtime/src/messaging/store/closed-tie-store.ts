import type { Collection, Db } from 'mongodb';
import { groupReads, type CollectionIndexes } from '@daycare/mongo';
import type { ClosedTie, MessageTie } from '../domain/closed-tie';

interface ClosedTieDocument {
  readonly _id: string;
  /** The two users. */
  readonly members: readonly string[];
  readonly version?: number;
  readonly subusers?: Readonly<Record<string, number>>;
}

const collection = 'closed_ties';

export const closedTieIndexes: CollectionIndexes = {
  collection,
  shardKey: { _id: 'hashed' },
  indexes: [{ name: 'members', key: { members: 1 } }],
};

/**
 * The ties and shares that have ended, with the version that ended each. Kept until one of the two users is deleted,
 * because a message may arrive at any later time.
 */
export class ClosedTieStore {
  /** Concurrent calls share queries. */
  readonly find: (tieId: string) => Promise<ClosedTie | undefined>;
  readonly #ties: Collection<ClosedTieDocument>;

  constructor(db: Db) {
    this.#ties = db.collection(collection);
    this.find = groupReads((ids) => this.findMany(ids));
  }

  async findMany(ids: readonly string[]): Promise<ReadonlyMap<string, ClosedTie>> {
    if (ids.length === 0) return new Map();
    const found = await this.#ties
      .find({ _id: { $in: [...ids] } }, { batchSize: ids.length + 1 })
      .toArray();
    return new Map(
      found.map(({ _id: id, version = 0, subusers = {} }) => [id, { id, version, subusers }]),
    );
  }

  /** Records a closing. Stored versions never decrease, in whatever order closings arrive. */
  async close({ id, version, subuserId }: MessageTie): Promise<void> {
    const field = subuserId === undefined ? 'version' : `subusers.${subuserId}`;
    await this.#ties.updateOne(
      { _id: id },
      { $max: { [field]: version }, $setOnInsert: { members: id.split(':') } },
      { upsert: true },
    );
  }

  async deleteByUser(userId: string): Promise<void> {
    await this.#ties.deleteMany({ members: userId });
  }
}
