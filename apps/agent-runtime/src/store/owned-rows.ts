import type { Collection, Db, Filter, IndexDescription } from 'mongodb';
import { digestOf, violatedIndex } from '@daycare/mongo';

/** One of a bounded number of things that a user has. */
export interface OwnedRow {
  readonly _id: string;
  readonly userId: string;
  readonly createdAt: Date;
  /** The user's place that it takes; gone when it is deleted. */
  readonly slot?: number;
  readonly deletedAt?: Date;
  readonly deletedBy?: string;
  readonly forgetAt?: Date;
}

export interface ScopePlace {
  readonly userId: string;
  readonly createdAt: Date;
  readonly id: string;
}

export interface OwnedListing {
  readonly userIds: readonly string[];
  /** The last one of the page before. */
  readonly after: ScopePlace | undefined;
  readonly limit: number;
}

export type InsertOutcome = 'inserted' | 'known' | 'too-many';

export const slotIndex = 'user_slot';
/** How long a request that made or deleted something is recognised after the thing is gone. */
const rememberedMs = 24 * 60 * 60 * 1000;

export const ownedIndexes: readonly (IndexDescription & { readonly name: string })[] = [
  { name: 'user_oldest', key: { userId: 1, createdAt: 1, _id: 1 } },
  {
    name: slotIndex,
    key: { userId: 1, slot: 1 },
    unique: true,
    partialFilterExpression: { slot: { $exists: true } },
  },
  { name: 'expiry', key: { forgetAt: 1 }, expireAfterSeconds: 0 },
];

const alive = { slot: { $exists: true } };

/**
 * Things of users, so many for each and no more: each takes one of the user's slots, and a slot is taken
 * once, whoever asks at the same moment. Deleted ones leave a trace for a day, so that a late repetition
 * of a request does not bring them back.
 */
export class OwnedRows<R extends OwnedRow> {
  readonly #rows: Collection<OwnedRow>;

  constructor(
    db: Db,
    collection: string,
    private readonly most: number,
  ) {
    this.#rows = db.collection(collection);
  }

  /** One of a user; deleted ones too. */
  async find(userId: string, id: string): Promise<R | undefined> {
    return this.#read(await this.#rows.find({ _id: id, userId }).toArray())[0];
  }

  /** Keeps a new one; `known` when its id is taken. */
  async insert(row: R): Promise<InsertOutcome> {
    for (;;) {
      const free = await this.#freeSlots(row.userId);
      // Those who insert at the same moment are to choose different ones.
      const slot = free[Number.parseInt(row._id.slice(-6), 36) % free.length];
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

  /** By user, oldest first. */
  async list({ userIds, after, limit }: OwnedListing): Promise<R[]> {
    const filter: Filter<OwnedRow> = {
      userId: { $in: userIds.filter((userId) => userId >= (after?.userId ?? '')) },
      ...alive,
      ...(after ? { $or: laterThan(after) } : {}),
    };
    const found = await this.#rows
      .find(filter, { hint: 'user_oldest' })
      .sort({ userId: 1, createdAt: 1, _id: 1 })
      .limit(limit)
      .toArray();
    return this.#read(found);
  }

  async count(userIds: readonly string[]): Promise<number> {
    const filter = { userId: { $in: [...userIds] }, ...alive };
    return this.#rows.countDocuments(filter, { hint: slotIndex });
  }

  /** Differs when something of them does. */
  digest(userIds: readonly string[]): Promise<string> {
    const filter = { userId: { $in: [...userIds] }, ...alive };
    return digestOf(this.#rows, filter, '$$ROOT', slotIndex);
  }

  /** False when the user has no such thing; deleting again by the same request changes nothing. */
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

  async deleteOfUser(userId: string): Promise<void> {
    await this.#rows.deleteMany({ userId });
  }

  async #freeSlots(userId: string): Promise<number[]> {
    const taken = await this.#rows
      .find({ userId, ...alive }, { projection: { _id: 0, slot: 1 }, hint: slotIndex })
      .toArray();
    const slots = new Set(taken.map(({ slot }) => slot));
    return Array.from({ length: this.most }, (_, slot) => slot).filter((slot) => !slots.has(slot));
  }

  /** Only rows of this kind are in the collection. */
  #read(rows: readonly OwnedRow[]): R[] {
    return rows as readonly R[] as R[];
  }
}

function laterThan({ userId, createdAt, id }: ScopePlace): Filter<OwnedRow>[] {
  return [
    { userId: { $gt: userId } },
    { userId, createdAt: { $gt: createdAt } },
    { userId, createdAt, _id: { $gt: id } },
  ];
}
