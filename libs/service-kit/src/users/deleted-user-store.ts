import type { Collection, Db } from 'mongodb';
import { groupReads, retryOnDuplicateKey, type CollectionIndexes } from '@daycare/mongo';

interface DeletedUserDocument {
  /** The user's id. */
  readonly _id: string;
  readonly deletedAt: Date;
}

const collection = 'deleted_users';
/** Longer than any access token is valid, and longer than any cache keeps a deleted user. */
const rememberedSeconds = 24 * 60 * 60;

export const deletedUserIndexes: CollectionIndexes = {
  collection,
  shardKey: { _id: 'hashed' },
  indexes: [{ name: 'expiry', key: { deletedAt: 1 }, expireAfterSeconds: rememberedSeconds }],
};

/** Recently deleted users. Their calls and messages may still arrive for some seconds after the deletion. */
export class DeletedUserStore {
  readonly #users: Collection<DeletedUserDocument>;
  /** Concurrent calls share queries; see `groupReads`. */
  readonly #find: (userId: string) => Promise<string | undefined>;

  constructor(db: Db) {
    this.#users = db.collection(collection);
    this.#find = groupReads((userIds) => this.#findMany(userIds));
  }

  /** If called more than once for a user, keeps the time of the first call. */
  async add(userId: string, deletedAt: Date): Promise<void> {
    await retryOnDuplicateKey(() =>
      this.#users.updateOne({ _id: userId }, { $setOnInsert: { deletedAt } }, { upsert: true }),
    );
  }

  async has(userId: string): Promise<boolean> {
    return (await this.#find(userId)) !== undefined;
  }

  /** Returns the id of a deleted user among these, if there is one. */
  async findAny(userIds: readonly string[]): Promise<string | undefined> {
    const found = await Promise.all(userIds.map(this.#find));
    return found.find((userId) => userId !== undefined);
  }

  /** Returns the users deleted at or after the given time. */
  async listSince(since: Date): Promise<string[]> {
    const found = await this.#users.find({ deletedAt: { $gte: since } }).toArray();
    return found.map(({ _id }) => _id);
  }

  async #findMany(userIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const found = await this.#users.find({ _id: { $in: [...userIds] } }).toArray();
    return new Map(found.map(({ _id }) => [_id, _id]));
  }
}
