import type { Collection, Db } from 'mongodb';
import type { CollectionIndexes } from '@daycare/mongo';
import type { PendingSignIn } from '../../domain/sign-in/pending-sign-in';

type PendingDocument = Omit<PendingSignIn, 'stateHash'> & { readonly _id: string };

const collection = 'pending_sign_ins';

export const pendingSignInIndexes: CollectionIndexes = {
  collection,
  shardKey: { _id: 'hashed' },
  indexes: [
    { name: 'expiry', key: { expiresAt: 1 }, expireAfterSeconds: 0 },
    { name: 'address', key: { addressHash: 1, expiresAt: 1 } },
  ],
};

/** Stores the sign-ins that people have begun at a provider, by the hash of their state. */
export class PendingSignInStore {
  readonly #pending: Collection<PendingDocument>;

  constructor(db: Db) {
    this.#pending = db.collection<PendingDocument>(collection);
  }

  /** Returns roughly how many there are; reads only the collection's metadata. */
  count(): Promise<number> {
    return this.#pending.estimatedDocumentCount();
  }

  /** Counts the unexpired sign-ins begun from an address, up to `limit`. */
  countByAddress(addressHash: string, now: Date, limit: number): Promise<number> {
    return this.#pending.countDocuments({ addressHash, expiresAt: { $gt: now } }, { limit });
  }

  async insert({ stateHash: _id, ...pending }: PendingSignIn): Promise<void> {
    await this.#pending.insertOne({ _id, ...pending });
  }

  /**
   * Removes and returns a sign-in, but only for the browser that began it; knowing its state is not enough.
   */
  async take(
    { stateHash, browserHash }: Pick<PendingSignIn, 'stateHash' | 'browserHash'>,
    now: Date,
  ): Promise<PendingSignIn | undefined> {
    const filter = { _id: stateHash, browserHash, expiresAt: { $gt: now } };
    const found = await this.#pending.findOneAndDelete(filter);
    if (!found) return undefined;
    const { _id, ...pending } = found;
    return { stateHash: _id, ...pending };
  }
}
