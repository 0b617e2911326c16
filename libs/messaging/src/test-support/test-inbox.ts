import type { SystemMessage } from '@daycare/contracts/common';
import { AppError } from '@daycare/api';
import { insertAll, serverOrder, violatedIndex } from '@daycare/mongo';
import { uniqueName } from '@daycare/testing';
import type { Collection, Db, Timestamp } from 'mongodb';
import type { BatchHandler, PredecessorRef, ReceivedMessage } from '../consumer/batch-handler';
import type { DeadLetter } from '../consumer/failures/dead-letter';

interface StoredMessage {
  readonly _id: string;
  readonly lane: string;
  readonly text: string;
  readonly order: Timestamp;
}

/** A consumer's database as the library expects it: stores every id once, durably. */
export class TestInbox implements BatchHandler<SystemMessage> {
  readonly buried: DeadLetter[] = [];
  readonly #messages: Collection<StoredMessage>;

  constructor(db: Db) {
    this.#messages = db.collection(uniqueName('inbox'));
  }

  readonly prepare = async (
    received: readonly ReceivedMessage[],
  ): Promise<readonly (SystemMessage | Error)[]> =>
    received.map(({ message }) => this.#errorOfDeadLetter(message.id) ?? message);

  readonly store = async (messages: readonly SystemMessage[]): Promise<undefined> => {
    const rows = messages.map(toRow);
    await insertAll(this.#messages, rows, { ordered: true });
    return undefined;
  };

  readonly findHandled = async (
    predecessors: readonly PredecessorRef[],
  ): Promise<ReadonlySet<string>> => {
    const ids = predecessors.map(({ id }) => id);
    const stored = await this.#messages.find({ _id: { $in: ids } }).toArray();
    return new Set([...stored.map(({ _id }) => _id), ...this.buried.map(({ id }) => id)]);
  };

  /** Stores a single message, for handlers that handle messages one by one. */
  readonly handle = async (message: SystemMessage): Promise<void> => {
    const dead = this.#errorOfDeadLetter(message.id);
    if (dead) throw dead;
    try {
      await this.#messages.insertOne(toRow(message));
    } catch (error) {
      if (violatedIndex(error) === undefined) throw error;
    }
  };

  readonly deadLetter = async (letter: DeadLetter): Promise<void> => {
    if (!this.buried.some(({ id }) => id === letter.id)) this.buried.push(letter);
  };

  /** The ids of stored messages, in the order in which they were handled. */
  async ids(): Promise<string[]> {
    return (await this.#read()).map(({ _id }) => _id);
  }

  /** The texts of each lane, in the order in which they were handled. */
  async textsByLane(): Promise<Record<string, string[]>> {
    const lanes: Record<string, string[]> = {};
    for (const { lane, text } of await this.#read()) (lanes[lane] ??= []).push(text);
    return lanes;
  }

  #errorOfDeadLetter(id: string): AppError | undefined {
    const dead = this.buried.find((letter) => letter.id === id);
    return dead && new AppError(dead.code, dead.reason);
  }

  async #read(): Promise<StoredMessage[]> {
    return this.#messages.find().sort({ order: 1 }).toArray();
  }
}

function toRow({ id, lane, text }: SystemMessage): StoredMessage {
  return { _id: id, lane, text, order: serverOrder() };
}
