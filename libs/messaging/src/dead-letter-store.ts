import { Binary, type Collection, type Db } from 'mongodb';
import type { DeadLetter } from './delivery-handler';

interface DeadLetterDocument {
  readonly _id: string;
  readonly payload: Binary;
  readonly code: string;
  readonly reason: string;
  readonly at: Date;
}

/** What could not be handled, kept for an operator to look at. */
export class DeadLetterStore {
  readonly #letters: Collection<DeadLetterDocument>;

  constructor(db: Db) {
    this.#letters = db.collection<DeadLetterDocument>('dead_letters');
  }

  /** The first of several letters with one id stays. */
  async add({ id, payload, code, reason }: DeadLetter, at: Date): Promise<void> {
    const letter = { payload: new Binary(payload), code, reason, at };
    await this.#letters.updateOne({ _id: id }, { $setOnInsert: letter }, { upsert: true });
  }
}
