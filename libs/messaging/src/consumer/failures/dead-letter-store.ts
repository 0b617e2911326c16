import { Binary, type Collection, type Db } from 'mongodb';
import type { DeadLetter } from './dead-letter';

interface DeadLetterDocument {
  readonly _id: string;
  readonly payload: Binary;
  readonly code: string;
  readonly reason: string;
  readonly at: Date;
}

/** Messages that could not be handled, stored for an operator to inspect. */
export class DeadLetterStore {
  readonly #letters: Collection<DeadLetterDocument>;

  constructor(db: Db) {
    this.#letters = db.collection<DeadLetterDocument>('dead_letters');
  }

  /** Keeps the first of several letters with the same id. */
  async add({ id, payload, code, reason }: DeadLetter, at: Date): Promise<void> {
    const letter = { payload: new Binary(payload), code, reason, at };
    await this.#letters.updateOne({ _id: id }, { $setOnInsert: letter }, { upsert: true });
  }
}
