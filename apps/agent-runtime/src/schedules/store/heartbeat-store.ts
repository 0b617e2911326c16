import type { Collection, Db } from 'mongodb';
import { retryOnDuplicateKey, type CollectionIndexes } from '@daycare/mongo';
import type { RunEnding } from '../domain/run';
import { maxSchedules, type Heartbeat, type HeartbeatRun } from '../domain/schedule';
import { firingIndexes, FiringRows, type FiringRow, type Ticks } from './firing-rows';
import {
  ownedIndexes,
  OwnedRows,
  type InsertOutcome,
  type OwnedListing,
  type OwnedRow,
} from './owned-rows';

interface HeartbeatDocument extends Omit<Heartbeat, 'id' | 'lastRunAt' | 'quiet'>, OwnedRow {
  readonly _id: string;
  readonly userId: string;
  readonly createdAt: Date;
  readonly lastRunAt?: Date;
  readonly quiet?: boolean;
}

/** When a user's heartbeats run; its id is the user's id. */
export interface HeartbeatBatch extends FiringRow {
  /** When the creation of a heartbeat last began, by the schedule clock. */
  readonly wantedAt?: Date;
}

export const heartbeatCollection = 'heartbeats';
const collection = heartbeatCollection;
const batchCollection = 'heartbeat_batches';

export const heartbeatIndexes: readonly CollectionIndexes[] = [
  { collection, shardKey: { ownerId: 'hashed' }, indexes: ownedIndexes },
  { collection: batchCollection, shardKey: { _id: 'hashed' }, indexes: firingIndexes },
];

/** Stores users' heartbeats, and when each user's batch runs. */
export class HeartbeatStore {
  readonly #heartbeats: Collection<HeartbeatDocument>;
  readonly #batches: Collection<HeartbeatBatch>;
  readonly #owned: OwnedRows<HeartbeatDocument>;
  readonly #firing: FiringRows<HeartbeatBatch>;
  readonly ticks: Ticks;

  constructor(db: Db) {
    this.#heartbeats = db.collection(collection);
    this.#batches = db.collection(batchCollection);
    this.#owned = new OwnedRows(db, collection, maxSchedules);
    this.#firing = new FiringRows(db, batchCollection);
    this.ticks = this.#firing;
  }

  /** Finds a heartbeat; returns `deleted` for one that was deleted recently. */
  async find(userId: string, id: string): Promise<Heartbeat | 'deleted' | undefined> {
    const found = await this.#owned.find(userId, id);
    return found?.deletedAt ? 'deleted' : found && toHeartbeat(found);
  }

  insert({ id: _id, lastRunAt: _, ...fields }: Heartbeat, ownerId: string): Promise<InsertOutcome> {
    return this.#owned.insert({ _id, ...fields, ownerId });
  }

  /** Lists heartbeats in the order of their users' ids, each user's oldest first. */
  async list(listing: OwnedListing): Promise<Heartbeat[]> {
    return (await this.#owned.list(listing)).map(toHeartbeat);
  }

  /** Deletes a heartbeat; returns false when the user has no such heartbeat. */
  delete(
    { heartbeatId: id, ...request }: { userId: string; heartbeatId: string; requestId: string },
    now: Date,
  ): Promise<boolean> {
    return this.#owned.delete({ id, ...request }, { title: 1, prompt: 1, lastRun: 1 }, now);
  }

  /** Records that a run of these heartbeats begins; records of the same run or a later one stay unchanged. */
  async beginRun(userId: string, ids: readonly string[], run: HeartbeatRun): Promise<void> {
    await this.#heartbeats.updateMany(
      { _id: { $in: [...ids] }, userId, 'lastRun.dueAt': { $not: { $gte: run.dueAt } } },
      [
        {
          $set: {
            lastRun: { ...run, afterFailure: { $eq: ['$lastRun.outcome', 'failed'] } },
            lastRunAt: { $max: ['$lastRunAt', run.dueAt] },
          },
        },
      ],
    );
  }

  /** Records how a run has ended, once, and returns the user's heartbeats whose newest run it is. */
  async endRun(userId: string, runId: string, ending: RunEnding): Promise<Heartbeat[]> {
    const { outcome, endedAt, reason } = ending;
    await this.#heartbeats.updateMany(
      { userId, 'lastRun.id': runId, 'lastRun.outcome': 'running' },
      {
        $set: {
          'lastRun.outcome': outcome,
          'lastRun.endedAt': endedAt,
          ...(reason === undefined ? {} : { 'lastRun.reason': reason }),
        },
      },
    );
    const found = await this.#heartbeats
      .find({ userId, slot: { $exists: true }, 'lastRun.id': runId })
      .toArray();
    return found.map(toHeartbeat);
  }

  /**
   * Schedules a user's heartbeats from the given time on, unless they are already scheduled. `wantedAt` is
   * the current time by the schedule clock.
   */
  async ensureBatch(
    { userId, shard }: Pick<HeartbeatBatch, 'userId' | 'shard'>,
    nextFireAt: Date,
    wantedAt: Date,
  ): Promise<void> {
    const first = { $ifNull: ['$nextFireAt', nextFireAt] };
    const wanted = { $max: ['$wantedAt', wantedAt] };
    await retryOnDuplicateKey(() =>
      this.#batches.updateOne(
        { _id: userId },
        [{ $set: { userId, shard, nextFireAt: first, wantedAt: wanted } }],
        { upsert: true },
      ),
    );
  }

  /**
   * Stores which heartbeats belong to the tick in progress and returns their ids; an earlier choice stands. Returns
   * undefined when that tick is no longer in progress.
   */
  async choose(
    userId: string,
    tick: Date,
    ids: readonly string[],
  ): Promise<readonly string[] | undefined> {
    const chosen = { $ifNull: ['$chosen', [...ids]] };
    const batch = await this.#batches.findOneAndUpdate(
      { _id: userId, firing: tick },
      [{ $set: { chosen } }],
      { returnDocument: 'after' },
    );
    return batch?.chosen;
  }

  /** Removes the batch of a user without heartbeats, unless the creation of a heartbeat began after `since`. */
  async removeBatch(userId: string, tick: Date, since: Date): Promise<void> {
    await this.#batches.deleteOne({
      _id: userId,
      firing: tick,
      wantedAt: { $not: { $gt: since } },
    });
  }

  /** Yields batches that are due by `until`, and those with a tick in progress. */
  findOpenBatches(shards: readonly number[], until: Date): AsyncGenerator<HeartbeatBatch> {
    return this.#firing.findOpen(shards, until);
  }

  async deleteByUser(userId: string): Promise<void> {
    await this.#batches.deleteOne({ _id: userId });
    await this.#owned.deleteByUser(userId);
  }
}

function toHeartbeat(document: HeartbeatDocument): Heartbeat {
  const { _id: id, userId, title, prompt, lastRunAt, createdAt, trust, carriesPrivate } = document;
  const { quiet = false, lastRun } = document;
  const turn = { ...(trust ? { trust } : {}), ...(carriesPrivate ? { carriesPrivate } : {}) };
  const run = { lastRunAt, ...(lastRun ? { lastRun } : {}) };
  return { id, userId, title, prompt, quiet, ...turn, ...run, createdAt };
}
