import type { ClientSession, Collection, Db, Filter } from 'mongodb';
import { afterPosition, violatedIndex, type CollectionIndexes } from '@daycare/mongo';
import { AppError } from '@daycare/api';
import { mayReplace, type Signal, type SignalState } from '../domain/signals/signal';

interface SignalDocument extends Omit<Signal, 'id'> {
  readonly _id: string;
  /** Unset while the signal is waiting, so it cannot expire before it is emitted. */
  readonly expiresAt?: Date;
  /** When to try again; set if the signal could not be emitted. */
  readonly retryAt?: Date;
}

export interface SignalListing {
  readonly userId: string;
  readonly states: readonly SignalState[];
  /** Undefined matches every type. */
  readonly types: RegExp | undefined;
  readonly after: { readonly createdAt: Date; readonly id: string } | undefined;
  readonly limit: number;
}

/** `known`: it was already stored. `taken`: another signal with this type and repeat key is waiting. */
export type SignalInsertion = 'stored' | 'known' | 'taken';

const collection = 'signals';
const oneWaiting = 'one_waiting';
const retentionMs = 7 * 24 * 60 * 60 * 1000;

export const signalIndexes: CollectionIndexes = {
  collection,
  shardKey: { userId: 'hashed' },
  indexes: [
    { name: 'user_newest', key: { userId: 1, createdAt: -1, _id: -1 } },
    { name: 'owner_state', key: { ownerUserId: 1, state: 1 } },
    {
      name: 'due',
      key: { dueAt: 1, _id: 1, ownerUserId: 1 },
      partialFilterExpression: { state: 'waiting' },
    },
    {
      name: 'owner_due',
      key: { ownerUserId: 1, dueAt: 1, _id: 1 },
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

/** The signals of all users: waiting, emitted and replaced. */
export class SignalStore {
  readonly #signals: Collection<SignalDocument>;

  constructor(db: Db) {
    this.#signals = db.collection(collection);
  }

  async find(userId: string, id: string): Promise<Signal | undefined> {
    const document = await this.#signals.findOne({ _id: id, userId });
    return document ? toSignal(document) : undefined;
  }

  /** If this runs in a transaction, any result but `stored` has aborted it. */
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

  /** Marks the waiting signal with this type and repeat key as replaced; throws if that signal has more trust. */
  async replaceWaiting(signal: Signal, session: ClientSession): Promise<void> {
    const { userId, type, repeatKey, createdAt } = signal;
    const sameKey = { userId, type, repeatKey, state: 'waiting' } as const;
    const waiting = await this.#signals.findOne(sameKey, { session, hint: oneWaiting });
    if (!waiting) return;
    if (!mayReplace(waiting, signal))
      throw new AppError(
        'PERMISSION_DENIED',
        'A waiting signal with this type and repeat key has more trust than this turn; use another repeat key',
      );
    await this.#signals.updateOne(
      { _id: waiting._id, state: 'waiting' },
      { $set: { state: 'replaced', expiresAt: expiryAfter(createdAt) } },
      { session },
    );
  }

  /** Returns false if the signal is no longer waiting. */
  async markEmitted({ id }: Signal, now: Date, session: ClientSession): Promise<boolean> {
    const { matchedCount } = await this.#signals.updateOne(
      { _id: id, state: 'waiting' },
      { $set: { state: 'emitted', expiresAt: expiryAfter(now) } },
      { session },
    );
    return matchedCount === 1;
  }

  /** Postpones a signal that could not be emitted, so that it does not hold up the signals after it. */
  async postpone({ id }: Pick<Signal, 'id'>, retryAt: Date): Promise<void> {
    await this.#signals.updateOne({ _id: id, state: 'waiting' }, { $set: { retryAt } });
  }

  /** Finds the earliest signal due by `until` that is not currently postponed and not owned by `exceptOwners`. */
  async findNextDue(
    now: Date,
    until: Date,
    exceptOwners: readonly string[] = [],
  ): Promise<Signal | undefined> {
    const document = await this.#signals.findOne(
      { ...dueUntil(until, now), ownerUserId: { $nin: [...exceptOwners] } },
      { sort: { dueAt: 1, _id: 1 }, hint: 'due' },
    );
    return document ? toSignal(document) : undefined;
  }

  /** Lists an owner's signals that are due and not postponed, earliest first. */
  async listDue(ownerUserId: string, now: Date, limit: number): Promise<Signal[]> {
    const documents = await this.#signals
      .find({ ownerUserId, ...dueUntil(now, now) })
      .sort({ dueAt: 1, _id: 1 })
      .limit(limit)
      .hint('owner_due')
      .toArray();
    return documents.map(toSignal);
  }

  /** Stops counting at `limit`. */
  async countWaiting(ownerUserId: string, limit: number): Promise<number> {
    return this.#signals.countDocuments({ ownerUserId, state: 'waiting' }, { limit });
  }

  /** Newest first. */
  async list({ userId, states, types, after, limit }: SignalListing): Promise<Signal[]> {
    const newestFirst = { createdAt: -1, _id: -1 } as const;
    const next = after && afterPosition(newestFirst, { ...after, _id: after.id });
    const documents = await this.#signals
      .find({ userId, state: { $in: [...states] }, ...(types ? { type: types } : {}), ...next })
      .sort(newestFirst)
      .limit(limit)
      .hint('user_newest')
      .toArray();
    return documents.map(toSignal);
  }

  async deleteByUser(userId: string): Promise<void> {
    await this.#signals.deleteMany({ userId });
  }
}

function dueUntil(until: Date, now: Date): Filter<SignalDocument> {
  return { state: 'waiting', dueAt: { $lte: until }, retryAt: { $not: { $gt: now } } };
}

function expiryAfter(time: Date): Date {
  return new Date(time.getTime() + retentionMs);
}

function toSignal({ _id: id, expiresAt: _, retryAt: __, ...fields }: SignalDocument): Signal {
  return { id, ...fields };
}
