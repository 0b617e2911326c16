import type { Collection, Db } from 'mongodb';
import type { JWK } from 'jose';
import { violatedIndex, type CollectionIndexes } from '@daycare/mongo';
import type { KeyTimes } from '../domain/key-schedule';

/** A key pair for signing tokens. */
export interface StoredKey extends KeyTimes {
  readonly publicJwk: JWK;
  readonly privateJwk: JWK;
  /** The operator's request that created the key, so that a retry does not create another one. */
  readonly requestId?: string;
}

/** Keys stored before lifetimes were recorded have no `maxTokenMs`. */
type KeyDocument = Omit<StoredKey, 'id' | 'maxTokenMs'> & {
  readonly _id: string;
  readonly maxTokenMs?: number;
};

const collection = 'signing_keys';
const generationIndex = 'generation';

export const signingKeyIndexes: CollectionIndexes = {
  collection,
  shardKey: 'unsharded',
  indexes: [{ name: generationIndex, key: { generation: 1 }, unique: true }],
};

/** Stores the signing keys, which all replicas share. There are never more than a few. */
export class SigningKeyStore {
  readonly #keys: Collection<KeyDocument>;

  constructor(db: Db) {
    this.#keys = db.collection<KeyDocument>(collection);
  }

  async list(): Promise<StoredKey[]> {
    const found = await this.#keys
      .find({ generation: { $gt: 0 } })
      .sort({ generation: 1 })
      .toArray();
    return found.map(({ _id: id, maxTokenMs = 0, ...key }) => ({ id, maxTokenMs, ...key }));
  }

  /** Resolves to false when another replica created this generation first. */
  async insert({ id: _id, ...key }: StoredKey): Promise<boolean> {
    try {
      await this.#keys.insertOne({ _id, ...key });
      return true;
    } catch (error) {
      if (violatedIndex(error) === generationIndex) return false;
      throw error;
    }
  }

  /** Records that tokens with this lifetime are signed with these keys. */
  async raiseMaxTokenMs(ids: readonly string[], maxTokenMs: number): Promise<void> {
    await this.#keys.updateMany({ _id: { $in: [...ids] } }, { $max: { maxTokenMs } });
  }

  async remove(ids: readonly string[]): Promise<void> {
    await this.#keys.deleteMany({ _id: { $in: [...ids] } });
  }
}
