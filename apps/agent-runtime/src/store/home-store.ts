import type { Collection, Db } from 'mongodb';
import { violatedIndex, type CollectionIndexes } from '@daycare/mongo';
import type { Reservation } from '../domain/home-quota';

/** What is known of a user's directory. */
export interface HomeUse {
  /** With what is reserved. */
  readonly usedBytes: number;
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
  readonly unusedBytes: number;
  /** What the change replaced or removed; given back only if no other change began meanwhile. */
  readonly freedBytes: number;
}

const collection = 'homes';

export const homeIndexes: CollectionIndexes = { collection, indexes: [] };

/** How many bytes users' directories take. May say too much after a crash, never too little. */
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
    quotaBytes: number,
  ): Promise<number | undefined> {
    const { bytes } = reservation;
    const found = await this.#homes.findOneAndUpdate(
      { _id: userId, usedBytes: { $lte: quotaBytes - bytes } },
      { $inc: { usedBytes: bytes, version: 1 }, $push: { pending: reservation } },
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
    const { id, version, unusedBytes, freedBytes } = settlement;
    const freed = { $cond: [{ $eq: ['$version', version] }, freedBytes, 0] };
    const left = { $subtract: ['$usedBytes', { $add: [unusedBytes, freed] }] };
    const others = { $filter: { input: '$pending', cond: { $ne: ['$$this.id', id] } } };
    await this.#homes.updateOne({ _id: userId, 'pending.id': id }, [
      { $set: { usedBytes: { $max: [0, left] }, pending: others } },
    ]);
  }

  /** Stores what was measured, unless a change has begun or ended since `known`. Says whether it did. */
  async recount(
    userId: string,
    known: HomeUse | undefined,
    counted: Pick<HomeUse, 'usedBytes' | 'pending'>,
  ): Promise<boolean> {
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

  async #insert(userId: string, counted: Pick<HomeUse, 'usedBytes' | 'pending'>): Promise<boolean> {
    try {
      await this.#homes.insertOne({ _id: userId, version: 1, ...counted });
      return true;
    } catch (error) {
      if (violatedIndex(error) !== undefined) return false;
      throw error;
    }
  }
}
