import type { ClientSession, Collection, Db } from 'mongodb';
import type { CollectionIndexes } from '@daycare/mongo';

/** A revoked token id, session id or `user:<id>`. */
export interface Revocation {
  readonly id: string;
  /** When the last affected token expires by itself. */
  readonly expiresAt: Date;
}

interface RevocationDocument {
  readonly _id: string;
  readonly expiresAt: Date;
}

const collection = 'revocations';
const marginMs = 60_000;

export const revocationIndexes: CollectionIndexes = {
  collection,
  indexes: [{ name: 'expiry', key: { expiresAt: 1 }, expireAfterSeconds: 0 }],
};

/** Revocations that have not expired yet. */
export class RevocationStore {
  readonly #revocations: Collection<RevocationDocument>;

  constructor(db: Db) {
    this.#revocations = db.collection<RevocationDocument>(collection);
  }

  /** Kept a little longer than requested, because verifiers tolerate clock differences. */
  async add(revocations: readonly Revocation[], session?: ClientSession): Promise<void> {
    await this.#revocations.bulkWrite(
      revocations.map(({ id: _id, expiresAt }) => ({
        updateOne: {
          filter: { _id },
          update: { $set: { expiresAt: new Date(expiresAt.getTime() + marginMs) } },
          upsert: true,
        },
      })),
      session ? { session } : {},
    );
  }

  async list(now: Date): Promise<Revocation[]> {
    const found = await this.#revocations.find({ expiresAt: { $gt: now } }).toArray();
    return found.map(({ _id: id, expiresAt }) => ({ id, expiresAt }));
  }
}
