import type { Collection, Db } from 'mongodb';
import type { CollectionIndexes } from '@daycare/mongo';
import type { SignInCode } from '../../domain/sign-in/sign-in-code';

type CodeDocument = Omit<SignInCode, 'hash'> & { readonly _id: string };

interface CodesOfOwner {
  readonly ownerId: string;
  readonly userId?: string | undefined;
}

const collection = 'sign_in_codes';

export const signInCodeIndexes: CollectionIndexes = {
  collection,
  shardKey: { _id: 'hashed' },
  indexes: [
    { name: 'expiry', key: { expiresAt: 1 }, expireAfterSeconds: 0 },
    { name: 'user', key: { userId: 1, createdAt: -1 } },
    { name: 'owner', key: { ownerId: 1 } },
    { name: 'opener', key: { 'opener.name': 1 } },
  ],
};

/** Stores sign-in codes by their hash. */
export class SignInCodeStore {
  readonly #codes: Collection<CodeDocument>;

  constructor(db: Db) {
    this.#codes = db.collection<CodeDocument>(collection);
  }

  /** Stores a code, and removes all but the `maxKept` newest codes of its user. */
  async insert({ hash: _id, ...code }: SignInCode, maxKept: number): Promise<void> {
    await this.#codes.insertOne({ _id, ...code });
    const excess = await this.#codes
      .find({ userId: code.userId }, { projection: { _id: 1 } })
      .sort({ createdAt: -1 })
      .skip(maxKept)
      .toArray();
    if (excess.length > 0)
      await this.#codes.deleteMany({ _id: { $in: excess.map((stored) => stored._id) } });
  }

  /** Removes and returns a code; of concurrent calls, only one receives it. */
  async take(hash: string, now: Date): Promise<SignInCode | undefined> {
    const found = await this.#codes.findOneAndDelete({ _id: hash, expiresAt: { $gt: now } });
    if (!found) return undefined;
    const { _id, ...code } = found;
    return { hash: _id, ...code };
  }

  /** Removes the codes for an owner and all its subusers, or for one of these users. */
  async removeByOwner({ ownerId, userId }: CodesOfOwner): Promise<void> {
    await this.#codes.deleteMany({ ownerId, ...(userId !== undefined && { userId }) });
  }

  async removeByOpener(name: string): Promise<void> {
    await this.#codes.deleteMany({ 'opener.name': name });
  }

  async removeByUsers(userIds: readonly string[]): Promise<void> {
    await this.#codes.deleteMany({ userId: { $in: [...userIds] } });
  }
}
