import { Binary, type Collection, type Db } from 'mongodb';
import type { CollectionIndexes } from '@daycare/mongo';
import type { DeadLetter } from './dead-letter';

interface DeadLetterDocument {
  readonly _id: string;
  readonly payload: Binary;
  readonly code: string;
  readonly reason: string;
  readonly at: Date;
}

const collection = 'dead_letters';
const retentionSeconds = 30 * 24 * 60 * 60;

export const deadLetterIndexes: CollectionIndexes = {
  collection,
  shardKey: { _id: 'hashed' },
  indexes: [{ name: 'expiry', key: { at: 1 }, expireAfterSeconds: retentionSeconds }],
};

/** Messages that could not be handled, stored for thirty days for an operator to inspect. */
export class DeadLetterStore {
  readonly #letters: Collection<DeadLetterDocument>;

  constructor(db: Db) {
    this.#letters = db.collection<DeadLetterDocument>(collection);
  }

  /** Keeps the first of several dead letters with the same id. */
  async add({ id, payload, code, reason }: DeadLetter, at: Date): Promise<void> {
    const letter = { payload: new Binary(payload), code, reason, at };
    await this.#letters.updateOne({ _id: id }, { $setOnInsert: letter }, { upsert: true });
  }
}
