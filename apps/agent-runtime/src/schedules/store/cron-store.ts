import type { Collection, Db, Filter } from 'mongodb';
import { appendRequest, type CollectionIndexes } from '@daycare/mongo';
import { maxSchedules, spentUntil, type Cron, type ScheduleProvenance } from '../domain/schedule';
import {
  cronCollection,
  toCron,
  type CronChange,
  type CronDocument,
  type FiringCron,
} from './cron-document';
import { CronRuns } from './cron-runs';
import { firingIndexes, FiringRows, type Ticks } from './firing-rows';
import {
  ownedIndexes,
  OwnedRows,
  slotIndex,
  type InsertOutcome,
  type OwnedListing,
} from './owned-rows';

export type { CronChange, FiringCron } from './cron-document';

const collection = cronCollection;

/** Changes to a cron. */
export interface CronEdit extends Partial<
  Pick<Cron, 'name' | 'prompt' | 'schedule' | 'timeZone' | 'overlap' | 'quiet'>
> {
  /** The next tick by the new schedule or time zone; absent when neither changes. */
  readonly nextFireAt?: Date | undefined;
  readonly provenance: ScheduleProvenance;
}

/** The fields of a cron that a change is based on. */
export type CronBasis = Pick<Cron, 'schedule' | 'timeZone' | 'trust' | 'carriesPrivate'>;

export const cronIndexes: CollectionIndexes = {
  collection,
  shardKey: { ownerId: 'hashed' },
  indexes: [
    ...ownedIndexes,
    ...firingIndexes,
    {
      name: 'spent',
      key: { shard: 1, lastFiredAt: 1 },
      partialFilterExpression: { once: true, lastFiredAt: { $exists: true } },
    },
  ],
};

/** `once` crons that have fired and will not fire again. */
const spent = { once: true, lastFiredAt: { $exists: true } };
const notFiring = { firing: { $exists: false } };

/** Stores users' crons and their next ticks. */
export class CronStore {
  readonly #crons: Collection<CronDocument>;
  readonly #owned: OwnedRows<CronDocument>;
  readonly #firing: FiringRows<CronDocument>;
  readonly ticks: Ticks;
  readonly runs: CronRuns;

  constructor(db: Db) {
    this.#crons = db.collection(collection);
    this.runs = new CronRuns(db);
    this.#owned = new OwnedRows(db, collection, maxSchedules);
    this.#firing = new FiringRows(db, collection);
    this.ticks = this.#firing;
  }

  /** Finds a cron; returns `deleted` for one that was deleted recently or has given up its slot. */
  async find(userId: string, id: string): Promise<Cron | 'deleted' | undefined> {
    const found = await this.#owned.find(userId, id);
    return found?.deletedAt ? 'deleted' : found && toCron(found);
  }

  /** Finds a cron with a tick in progress. */
  async findFiring({
    userId,
    cronId,
  }: Omit<CronChange, 'requestId'>): Promise<FiringCron | undefined> {
    const row = await this.#crons.findOne({ _id: cronId, userId, firing: { $exists: true } });
    return row ? { ...toCron(row), firing: row.firing } : undefined;
  }

  /**
   * Inserts a cron. If all of the owner's slots are taken, a `once` cron that has fired gives up its slot; if there is
   * none, `too-many` is returned.
   */
  async insert({ id: _id, ...fields }: Cron, ownerId: string): Promise<InsertOutcome> {
    const { nextFireAt, lastFiredAt: _, ...rest } = fields;
    const row = { _id, ...rest, ownerId, ...(nextFireAt ? { nextFireAt } : {}) };
    for (;;) {
      const outcome = await this.#owned.insert(row);
      if (outcome !== 'too-many' || !(await this.#freeSlot(row))) return outcome;
    }
  }

  /** Stores the agent created for a cron; changes nothing if the cron has been deleted or already has an agent. */
  async setAgent({ userId, id }: Pick<Cron, 'userId' | 'id'>, agentId: string): Promise<void> {
    await this.#crons.updateOne(
      { _id: id, userId, slot: { $exists: true }, agentId: '' },
      { $set: { agentId } },
    );
  }

  /** Lists crons in the order of their users' ids, each user's oldest first. */
  async list(listing: OwnedListing): Promise<Cron[]> {
    return (await this.#owned.list(listing)).map(toCron);
  }

  /** Reports whether a request has already been applied to a cron. */
  async hasApplied({ userId, cronId, requestId }: CronChange): Promise<boolean> {
    return (await this.#owned.find(userId, cronId))?.changedBy?.includes(requestId) ?? false;
  }

  /**
   * Pauses a cron, once per request, so that a late retry does not undo a later change. Returns false if there is no
   * such cron, or if the request has already been applied.
   */
  pause(change: CronChange): Promise<boolean> {
    return this.#change(change, { nextFireAt: '$$REMOVE' });
  }

  /**
   * Resumes a paused cron, which then fires next at the given time; a cron that is not paused keeps its next tick.
   * Returns false if there is no such cron, if it is a `once` cron that has fired, or if the request has already been
   * applied.
   */
  resume(change: CronChange, nextFireAt: Date): Promise<boolean> {
    const fields = { nextFireAt: { $ifNull: ['$nextFireAt', nextFireAt] } };
    return this.#change(change, fields, { $nor: [spent] });
  }

  /**
   * Changes the fields of a cron. The next tick is set only if there already is one: a paused cron stays paused.
   * Returns false if there is no such cron, if the fields that the change is based on have changed, or if the request
   * has already been applied.
   */
  edit(
    change: CronChange,
    { trust, carriesPrivate, schedule, timeZone }: CronBasis,
    { nextFireAt, provenance, ...fields }: CronEdit,
  ): Promise<boolean> {
    const next = { $cond: [{ $gt: ['$nextFireAt', null] }, nextFireAt, '$$REMOVE'] };
    const literals = Object.entries(fields).map(([name, value]) => [name, { $literal: value }]);
    const values = Object.fromEntries(literals) as Record<string, object>;
    const set = {
      ...values,
      edited: true,
      ...(nextFireAt ? { nextFireAt: next } : {}),
      trust: provenance.trust ?? '$$REMOVE',
      carriesPrivate: provenance.carriesPrivate ?? '$$REMOVE',
    };
    return this.#change(change, set, {
      schedule,
      timeZone,
      trust: trust ?? { $exists: false },
      carriesPrivate: carriesPrivate ?? { $exists: false },
    });
  }

  /** Deletes a cron; returns false when the user has no such cron. */
  delete({ cronId: id, ...change }: CronChange, now: Date): Promise<boolean> {
    const erased = {
      nextFireAt: 1,
      lastFiredAt: 1,
      firing: 1,
      manual: 1,
      name: 1,
      prompt: 1,
      runs: 1,
    } as const;
    return this.#owned.delete({ id, ...change }, erased, now);
  }

  /** Yields crons with ticks that are due or in progress in these shards, and `once` crons that are to be removed. */
  async *findOpen(shards: readonly number[], now: Date): AsyncGenerator<FiringCron> {
    yield* this.findOpenTicks(shards, now);
    yield* this.findSpent(shards, now);
  }

  /** Yields crons with ticks that are due or in progress in these shards. */
  async *findOpenTicks(shards: readonly number[], now: Date): AsyncGenerator<FiringCron> {
    for await (const row of this.#firing.findOpen(shards, now))
      yield { ...toCron(row), firing: row.firing };
  }

  /** Yields `once` crons that fired so long ago that they are to be removed. */
  async *findSpent(shards: readonly number[], now: Date): AsyncGenerator<FiringCron> {
    const isOld = { ...spent, lastFiredAt: { $lte: spentUntil(now) }, ...notFiring };
    for await (const row of this.#crons.find({ shard: { $in: [...shards] }, ...isOld }))
      yield { ...toCron(row), firing: undefined };
  }

  /** Removes a `once` cron that has fired, unless one of its ticks is in progress. */
  async deleteSpent({ userId, id }: Pick<Cron, 'userId' | 'id'>): Promise<void> {
    await this.#crons.deleteOne({ _id: id, userId, ...spent, ...notFiring });
  }

  deleteByUser(userId: string): Promise<void> {
    return this.#owned.deleteByUser(userId);
  }

  /** Frees the slot of the `once` cron that fired longest ago; returns false when there is no such cron. */
  async #freeSlot({ ownerId, createdAt: now }: CronDocument): Promise<boolean> {
    const isSpent = { ownerId, slot: { $exists: true }, ...spent, ...notFiring };
    const spentCrons = await this.#crons.find(isSpent, { hint: slotIndex }).toArray();
    const [oldest] = spentCrons.sort((one, other) => firedMs(one) - firedMs(other));
    if (!oldest) return false;
    await this.#crons.updateOne(
      { _id: oldest._id, ...isSpent },
      { $set: { deletedAt: now }, $unset: { slot: 1 } },
    );
    return true;
  }

  async #change(
    { userId, cronId, requestId }: CronChange,
    fields: object,
    condition: Filter<CronDocument> = {},
  ): Promise<boolean> {
    const changedBy = appendRequest('changedBy', requestId);
    const canChange = { slot: { $exists: true }, changedBy: { $ne: requestId }, ...condition };
    const { matchedCount } = await this.#crons.updateOne({ _id: cronId, userId, ...canChange }, [
      { $set: { ...fields, changedBy } },
    ]);
    return matchedCount === 1;
  }
}

function firedMs({ lastFiredAt }: CronDocument): number {
  return lastFiredAt?.getTime() ?? 0;
}
