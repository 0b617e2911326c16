import type { Collection, Db } from 'mongodb';
import { violatedIndex, type CollectionIndexes } from '@daycare/mongo';
import type { HomeSize, Reservation } from '../domain/home-quota';

/** What is known of a user's directory. */
export interface HomeUse {
  /** With what is reserved. */
  readonly usedBytes: number;
  /** The same; Infinity when there were too many to count, so that all is refused until they are counted. */
  readonly usedEntries: number;
  /** Rises with every change that begins and with every recount. */
  readonly version: number;
  readonly pending: readonly Reservation[];
}

interface HomeDocument extends HomeUse {
  /** The user's id. */
  readonly _id: string;
}

/** How a change ended. */
export interface Settlement {
  readonly id: string;
  /** That of the document when the change began. */
  readonly version: number;
  /** What was reserved and not used. */
  readonly unused: HomeSize;
  /** What the change replaced or removed; given back only if no other change began meanwhile. */
  readonly freed: HomeSize;
}

const collection = 'homes';

export const homeIndexes: CollectionIndexes = { collection, indexes: [] };

type Counted = Pick<HomeUse, 'usedBytes' | 'usedEntries' | 'pending'>;

/** How much users' directories take. May say too much after a crash, never too little. */
export class HomeStore {
  readonly #homes: Collection<HomeDocument>;

  constructor(db: Db) {
    this.#homes = db.collection(collection);
  }

  async find(userId: string): Promise<HomeUse | undefined> {
    return (await this.#homes.findOne({ _id: userId })) ?? undefined;
  }

  /** Takes room for a change that begins; returns the version, or undefined when there is too little or nothing known. */
  async reserve(
    userId: string,
    reservation: Reservation,
    limits: HomeSize,
  ): Promise<number | undefined> {
    const { bytes, entries } = reservation;
    const found = await this.#homes.findOneAndUpdate(
      {
        _id: userId,
        usedBytes: { $lte: limits.bytes - bytes },
        usedEntries: { $lte: limits.entries - entries },
      },
      {
        $inc: { usedBytes: bytes, usedEntries: entries, version: 1 },
        $push: { pending: reservation },
      },
      { returnDocument: 'after', projection: { version: 1 } },
    );
    return found?.version;
  }

  /**
   * Two changes at once may both believe to have replaced the same file: only the one that began last
   * gives back, and then it has seen what the others left. Nothing is given back for a reservation that
   * a recount has dropped.
   */
  async settle(userId: string, settlement: Settlement): Promise<void> {
    const { id, version, unused, freed } = settlement;
    const isLast = { $eq: ['$version', version] };
    const leftOf = (used: string, kind: keyof HomeSize) => {
      const back = { $add: [unused[kind], { $cond: [isLast, freed[kind], 0] }] };
      return { $max: [0, { $subtract: [used, back] }] };
    };
    const others = { $filter: { input: '$pending', cond: { $ne: ['$$this.id', id] } } };
    await this.#homes.updateOne({ _id: userId, 'pending.id': id }, [
      {
        $set: {
          usedBytes: leftOf('$usedBytes', 'bytes'),
          usedEntries: leftOf('$usedEntries', 'entries'),
          pending: others,
        },
      },
    ]);
  }

  /** Stores what was measured, unless a change has begun or ended since `known`. Says whether it did. */
  async recount(userId: string, known: HomeUse | undefined, counted: Counted): Promise<boolean> {
    if (!known) return this.#insert(userId, counted);
    const { version, pending } = known;
    const { matchedCount } = await this.#homes.updateOne(
      { _id: userId, version, pending: { $size: pending.length } },
      { $set: counted, $inc: { version: 1 } },
    );
    return matchedCount === 1;
  }

  async deleteOfUser(userId: string): Promise<void> {
    await this.#homes.deleteOne({ _id: userId });
  }

  async #insert(userId: string, counted: Counted): Promise<boolean> {
    try {
      await this.#homes.insertOne({ _id: userId, version: 1, ...counted });
      return true;
    } catch (error) {
      if (violatedIndex(error) !== undefined) return false;
      throw error;
    }
  }
}
