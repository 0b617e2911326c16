import type { ClientSession, Collection, Db, Filter } from 'mongodb';
import { violatedIndex, type CollectionIndexes } from '@daycare/mongo';
import type { Signal, SignalState } from '../domain/signal';

interface SignalDocument extends Omit<Signal, 'id'> {
  readonly _id: string;
  /** Unset while it waits: nothing that is still to be heard may expire. */
  readonly expiresAt?: Date;
  /** Set once it could not be emitted: not tried again before. */
  readonly retryAt?: Date;
}

export interface SignalListing {
  readonly userId: string;
  readonly states: readonly SignalState[];
  /** What types must be like. */
  readonly types: RegExp | undefined;
  readonly after: { readonly createdAt: Date; readonly id: string } | undefined;
  readonly limit: number;
}

/** `known`: stored before; `taken`: another one waits under the same type and repeat key. */
export type SignalInsertion = 'stored' | 'known' | 'taken';

const collection = 'signals';
const oneWaiting = 'one_waiting';
const keptMs = 7 * 24 * 60 * 60 * 1000;

export const signalIndexes: CollectionIndexes = {
  collection,
  indexes: [
    { name: 'user_newest', key: { userId: 1, createdAt: -1, _id: -1 } },
    { name: 'user_state', key: { userId: 1, state: 1 } },
    {
      name: 'due',
      key: { dueAt: 1, _id: 1 },
      partialFilterExpression: { state: 'waiting' },
    },
    {
      name: oneWaiting,
      key: { userId: 1, type: 1, repeatKey: 1 },
      unique: true,
      partialFilterExpression: { state: 'waiting', repeatKey: { $gt: '' } },
    },
    { name: 'expiry', key: { expiresAt: 1 }, expireAfterSeconds: 0 },
  ],
};

/** Signals, waiting and emitted. */
export class SignalStore {
  readonly #signals: Collection<SignalDocument>;

  constructor(db: Db) {
    this.#signals = db.collection(collection);
  }

  async find(userId: string, id: string): Promise<Signal | undefined> {
    const found = await this.#signals.findOne({ _id: id, userId });
    return found ? toSignal(found) : undefined;
  }

  /** Inside a transaction anything but `stored` has ended it. */
  async insert(signal: Signal, session?: ClientSession): Promise<SignalInsertion> {
    const { id: _id, ...fields } = signal;
    const expiry = signal.state === 'waiting' ? {} : { expiresAt: expiryAfter(signal.dueAt) };
    try {
      await this.#signals.insertOne({ _id, ...fields, ...expiry }, session ? { session } : {});
      return 'stored';
    } catch (error) {
      const index = violatedIndex(error);
      if (index === undefined) throw error;
      return index === oneWaiting ? 'taken' : 'known';
    }
  }

  /** Takes the one that waits with this type and repeat key out of the way, if there is one. */
  async replaceWaiting(
    { userId, type, repeatKey, createdAt }: Signal,
    session: ClientSession,
  ): Promise<void> {
    await this.#signals.updateOne(
      { userId, type, repeatKey, state: 'waiting' },
      { $set: { state: 'replaced', expiresAt: expiryAfter(createdAt) } },
      { session },
    );
  }

  /** False when it no longer waits. */
  async markEmitted({ id }: Signal, now: Date, session: ClientSession): Promise<boolean> {
    const { matchedCount } = await this.#signals.updateOne(
      { _id: id, state: 'waiting' },
      { $set: { state: 'emitted', expiresAt: expiryAfter(now) } },
      { session },
    );
    return matchedCount === 1;
  }

  /** Lets those go first that come after it. */
  async setBack({ id }: Pick<Signal, 'id'>, retryAt: Date): Promise<void> {
    await this.#signals.updateOne({ _id: id, state: 'waiting' }, { $set: { retryAt } });
  }

  /** Those of all users whose time has come and that were not set back, the earliest first. */
  async findDue(now: Date, limit: number): Promise<Signal[]> {
    const found = await this.#signals
      .find({ state: 'waiting', dueAt: { $lte: now }, retryAt: { $not: { $gt: now } } })
      .sort({ dueAt: 1, _id: 1 })
      .limit(limit)
      .toArray();
    return found.map(toSignal);
  }

  /** Counted no further than `limit`. */
  async countWaiting(userId: string, limit: number): Promise<number> {
    return this.#signals.countDocuments({ userId, state: 'waiting' }, { limit });
  }

  /** Newest first. */
  async list({ userId, states, types, after, limit }: SignalListing): Promise<Signal[]> {
    const older: Filter<SignalDocument> = after
      ? {
          $or: [
            { createdAt: { $lt: after.createdAt } },
            { createdAt: after.createdAt, _id: { $lt: after.id } },
          ],
        }
      : {};
    const found = await this.#signals
      .find({ userId, state: { $in: [...states] }, ...(types ? { type: types } : {}), ...older })
      .sort({ createdAt: -1, _id: -1 })
      .limit(limit)
      .hint('user_newest')
      .toArray();
    return found.map(toSignal);
  }

  async deleteOfUser(userId: string): Promise<void> {
    await this.#signals.deleteMany({ userId });
  }
}

function expiryAfter(time: Date): Date {
  return new Date(time.getTime() + keptMs);
}

function toSignal({ _id: id, expiresAt: _, retryAt: __, ...fields }: SignalDocument): Signal {
  return { id, ...fields };
}
