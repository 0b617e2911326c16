import type { Collection, Db } from 'mongodb';
import type { CollectionIndexes } from '@daycare/mongo';

interface GoneDocument {
  readonly _id: string;
  readonly expiresAt: Date;
}

const collection = 'gone_users';
/** Far longer than any token or cache believes in a user that is gone. */
const rememberedMs = 24 * 60 * 60 * 1000;

export const goneUserIndexes: CollectionIndexes = {
  collection,
  indexes: [{ name: 'expiry', key: { expiresAt: 1 }, expireAfterSeconds: 0 }],
};

/** Users that were deleted of late. */
export class GoneUserStore {
  readonly #gone: Collection<GoneDocument>;

  constructor(db: Db) {
    this.#gone = db.collection<GoneDocument>(collection);
  }

  async add(userId: string, now: Date): Promise<void> {
    const expiresAt = new Date(now.getTime() + rememberedMs);
    await this.#gone.updateOne({ _id: userId }, { $setOnInsert: { expiresAt } }, { upsert: true });
  }

  /** Who was marked in the last `ms` milliseconds. */
  async listMarkedWithin(ms: number, now: Date): Promise<string[]> {
    const expiresAt = { $gt: new Date(now.getTime() + rememberedMs - ms) };
    const found = await this.#gone.find({ expiresAt }).toArray();
    return found.map(({ _id }) => _id);
  }

  async findAny(userIds: readonly string[]): Promise<string | undefined> {
    return (await this.#gone.findOne({ _id: { $in: [...userIds] } }))?._id;
  }
}
