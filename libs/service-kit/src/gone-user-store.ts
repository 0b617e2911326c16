import type { Collection, Db } from 'mongodb';
import { againOnDuplicate, type CollectionIndexes } from '@daycare/mongo';

interface GoneUserDocument {
  /** The user's id. */
  readonly _id: string;
  readonly goneAt: Date;
}

const collection = 'gone_users';
/** Longer than tokens and what is remembered of users elsewhere. */
const rememberedSeconds = 24 * 60 * 60;

export const goneUserIndexes: CollectionIndexes = {
  collection,
  indexes: [{ name: 'expiry', key: { goneAt: 1 }, expireAfterSeconds: rememberedSeconds }],
};

/** Who was deleted of late. Calls and messages of theirs may be under way for some seconds yet. */
export class GoneUserStore {
  readonly #users: Collection<GoneUserDocument>;

  constructor(db: Db) {
    this.#users = db.collection(collection);
  }

  /** The first time counts. */
  async add(userId: string, goneAt: Date): Promise<void> {
    await againOnDuplicate(() =>
      this.#users.updateOne({ _id: userId }, { $setOnInsert: { goneAt } }, { upsert: true }),
    );
  }

  async has(userId: string): Promise<boolean> {
    return (await this.#users.findOne({ _id: userId })) !== null;
  }

  async listSince(since: Date): Promise<string[]> {
    const found = await this.#users.find({ goneAt: { $gte: since } }).toArray();
    return found.map(({ _id }) => _id);
  }
}
