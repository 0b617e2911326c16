import type { Collection, Db, Filter, IndexDescription } from 'mongodb';
import { afterPosition, chooseSlot, violatedIndex, type DigestPart } from '@daycare/mongo';

/** One of a limited number of rows per owner. */
export interface OwnedRow {
  readonly _id: string;
  readonly userId: string;
  /** The user whose limit the row counts towards: a subuser's owner, or the user itself. */
  readonly ownerId: string;
  readonly createdAt: Date;
  /** Which of the owner's slots the row occupies; unset once the row is deleted or has given up its slot. */
  readonly slot?: number;
  readonly deletedAt?: Date;
  /** The id of the request that deleted the row; absent for a row that has only given up its slot. */
  readonly deletedBy?: string;
  readonly forgetAt?: Date;
}

export interface ScopePosition {
  readonly userId: string;
  readonly createdAt: Date;
  readonly id: string;
}

export interface OwnedListing {
  readonly userIds: readonly string[];
  /** The last row of the previous page. */
  readonly after: ScopePosition | undefined;
  readonly limit: number;
}

export type InsertOutcome = 'inserted' | 'known' | 'too-many';

export const slotIndex = 'owner_slot';
/** How long a request that created or deleted a row is recognised after the row is deleted. */
const rememberedMs = 24 * 60 * 60 * 1000;

export const ownedIndexes: readonly (IndexDescription & { readonly name: string })[] = [
  { name: 'user_oldest', key: { userId: 1, createdAt: 1, _id: 1 } },
  {
    name: slotIndex,
    key: { ownerId: 1, slot: 1 },
    unique: true,
    partialFilterExpression: { slot: { $exists: true } },
  },
  { name: 'expiry', key: { forgetAt: 1 }, expireAfterSeconds: 0 },
];

const alive = { slot: { $exists: true } };

/** Selects several users' rows, for a digest that changes whenever any of the rows does. */
export function ownedPart(collection: string, userIds: readonly string[]): DigestPart {
  return { collection, filter: { userId: { $in: [...userIds] }, ...alive }, value: '$$ROOT' };
}

/**
 * Stores a limited number of rows per owner: each row takes one of the owner's slots, and a unique index gives each
 * slot to one row, even under concurrency. Deleted rows leave a tombstone for a day, so that a late retry of a request
 * does not bring them back.
 */
export class OwnedRows<R extends OwnedRow> {
  readonly #rows: Collection<OwnedRow>;

  constructor(
    db: Db,
    collection: string,
    private readonly maxRows: number,
  ) {
    this.#rows = db.collection(collection);
  }

  /** Finds one of a user's rows, including deleted ones. */
  async find(userId: string, id: string): Promise<R | undefined> {
    return this.#read(await this.#rows.find({ _id: id, userId }).toArray())[0];
  }

  /**
   * Inserts a new row; returns `known` when a row with its id already exists, even a deleted one, and `too-many` when
   * the owner has no free slot.
   */
  async insert(row: R): Promise<InsertOutcome> {
    for (;;) {
      const slot = chooseSlot(await this.#takenSlots(row.ownerId), this.maxRows, row._id);
      if (slot === undefined) return (await this.find(row.userId, row._id)) ? 'known' : 'too-many';
      try {
        await this.#rows.insertOne({ ...row, slot });
        return 'inserted';
      } catch (error) {
        const index = violatedIndex(error);
        if (index === undefined) throw error;
        if (index !== slotIndex) return 'known';
      }
    }
  }

  /** Lists rows in the order of their users' ids, each user's oldest first. */
  async list({ userIds, after, limit }: OwnedListing): Promise<R[]> {
    const order = { userId: 1, createdAt: 1, _id: 1 } as const;
    const filter: Filter<OwnedRow> = {
      userId: { $in: userIds.filter((userId) => userId >= (after?.userId ?? '')) },
      ...alive,
      ...(after && afterPosition(order, { ...after, _id: after.id })),
    };
    const found = await this.#rows
      .find(filter, { hint: 'user_oldest' })
      .sort(order)
      .limit(limit)
      .batchSize(limit)
      .toArray();
    return this.#read(found);
  }

  /** Deletes a row; returns false when the user has no such row. A retry returns true and changes nothing. */
  async delete(
    { userId, id, requestId }: { userId: string; id: string; requestId: string },
    erased: Readonly<Record<string, 1>>,
    now: Date,
  ): Promise<boolean> {
    const forgetAt = new Date(now.getTime() + rememberedMs);
    const { matchedCount } = await this.#rows.updateOne(
      { _id: id, userId, ...alive },
      {
        $set: { deletedAt: now, deletedBy: requestId, forgetAt },
        $unset: { slot: 1, ...erased },
      },
    );
    return matchedCount === 1 || (await this.find(userId, id))?.deletedBy === requestId;
  }

  async deleteByUser(userId: string): Promise<void> {
    await this.#rows.deleteMany({ userId });
  }

  async #takenSlots(ownerId: string): Promise<(number | undefined)[]> {
    const taken = await this.#rows
      .find({ ownerId, ...alive }, { projection: { _id: 0, slot: 1 }, hint: slotIndex })
      .toArray();
    return taken.map(({ slot }) => slot);
  }

  /** The collection holds only rows of this kind. */
  #read(rows: readonly OwnedRow[]): R[] {
    return rows as readonly R[] as R[];
  }
}
