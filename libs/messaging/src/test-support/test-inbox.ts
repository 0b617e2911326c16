import type { SystemMessage } from '@daycare/contracts/common';
import { AppError } from '@daycare/errors';
import { violatedIndex } from '@daycare/mongo';
import { uniqueName } from '@daycare/testing';
import type { Collection, Db } from 'mongodb';
import type { DeadLetter } from '../delivery-handler';

interface StoredMessage {
  readonly _id: string;
  readonly lane: string;
  readonly text: string;
  readonly order: number;
}

/** A consumer's database as the library expects it to be: takes every id once, durably. */
export class TestInbox {
  readonly buried: DeadLetter[] = [];
  readonly #messages: Collection<StoredMessage>;
  #handled = 0;

  constructor(db: Db) {
    this.#messages = db.collection(uniqueName('inbox'));
  }

  readonly handle = async ({ id, lane, text }: SystemMessage): Promise<void> => {
    const dead = this.buried.find((letter) => letter.id === id);
    if (dead) throw new AppError(dead.code, dead.reason);
    try {
      await this.#messages.insertOne({ _id: id, lane, text, order: ++this.#handled });
    } catch (error) {
      if (violatedIndex(error) === undefined) throw error;
    }
  };

  readonly deadLetter = async (letter: DeadLetter): Promise<void> => {
    if (!this.buried.some(({ id }) => id === letter.id)) this.buried.push(letter);
  };

  /** The ids of what was stored, in the order it was handled. */
  async ids(): Promise<string[]> {
    return (await this.#read()).map(({ _id }) => _id);
  }

  /** The texts of each lane, in the order they were handled. */
  async textsByLane(): Promise<Record<string, string[]>> {
    const lanes: Record<string, string[]> = {};
    for (const { lane, text } of await this.#read()) (lanes[lane] ??= []).push(text);
    return lanes;
  }

  async #read(): Promise<StoredMessage[]> {
    return this.#messages.find().sort({ order: 1 }).toArray();
  }
}
