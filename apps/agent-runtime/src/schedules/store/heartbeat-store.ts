import type { Collection, Db } from 'mongodb';
import { retryOnDuplicateKey, type CollectionIndexes } from '@daycare/mongo';
import { maxSchedules, type Heartbeat } from '../domain/schedule';
import { firingIndexes, FiringRows, type FiringRow, type Ticks } from './firing-rows';
import {
  ownedIndexes,
  OwnedRows,
  type InsertOutcome,
  type OwnedListing,
  type OwnedRow,
} from './owned-rows';

interface HeartbeatDocument extends Omit<Heartbeat, 'id' | 'lastRunAt'>, OwnedRow {
  readonly _id: string;
  readonly userId: string;
  readonly createdAt: Date;
  readonly lastRunAt?: Date;
}

/** When all heartbeats of a user run; its id is the user's. */
export interface HeartbeatBatch extends FiringRow {
  /** When a heartbeat was last about to be added. */
  readonly wantedAt?: Date;
}

export const heartbeatCollection = 'heartbeats';
const collection = heartbeatCollection;
const batchCollection = 'heartbeat_batches';

export const heartbeatIndexes: readonly CollectionIndexes[] = [
  { collection, indexes: ownedIndexes },
  { collection: batchCollection, indexes: firingIndexes },
];

/** Users' heartbeats, and when each user's batch runs. */
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

  /** `deleted` for one that existed recently. */
  async find(userId: string, id: string): Promise<Heartbeat | 'deleted' | undefined> {
    const found = await this.#owned.find(userId, id);
    return found?.deletedAt ? 'deleted' : found && toHeartbeat(found);
  }

  insert({ id: _id, lastRunAt: _, ...fields }: Heartbeat, ownerId: string): Promise<InsertOutcome> {
    return this.#owned.insert({ _id, ...fields, ownerId });
  }

  /** By user, oldest first. */
  async list(listing: OwnedListing): Promise<Heartbeat[]> {
    return (await this.#owned.list(listing)).map(toHeartbeat);
  }

  /** False when the user has no such heartbeat. */
  delete(
    { heartbeatId: id, ...request }: { userId: string; heartbeatId: string; requestId: string },
    now: Date,
  ): Promise<boolean> {
    return this.#owned.delete({ id, ...request }, { title: 1, prompt: 1 }, now);
  }

  async markRun(userId: string, ids: readonly string[], lastRunAt: Date): Promise<void> {
    await this.#heartbeats.updateMany({ _id: { $in: [...ids] }, userId }, { $max: { lastRunAt } });
  }

  /**
   * Schedules a user's heartbeats from the given time on, unless they already are. `wantedAt` is
   * now, by the schedule clock.
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
   * Stores the contents of the tick in progress and returns them: an earlier choice stands.
   * Undefined when that tick is no longer in progress.
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

  /**
   * Removes the batch of a user without heartbeats, unless one has been about to be added since
   * then.
   */
  async removeBatch(userId: string, tick: Date, since: Date): Promise<void> {
    await this.#batches.deleteOne({
      _id: userId,
      firing: tick,
      wantedAt: { $not: { $gt: since } },
    });
  }

  /** Batches that are due by then, and those of which a tick is in progress. */
  openBatches(shards: readonly number[], until: Date): AsyncGenerator<HeartbeatBatch> {
    return this.#firing.open(shards, until);
  }

  async deleteByUser(userId: string): Promise<void> {
    await this.#batches.deleteOne({ _id: userId });
    await this.#owned.deleteByUser(userId);
  }
}

function toHeartbeat(document: HeartbeatDocument): Heartbeat {
  const { _id: id, userId, title, prompt, lastRunAt, createdAt, trust, carriesPrivate } = document;
  const turn = { ...(trust ? { trust } : {}), ...(carriesPrivate ? { carriesPrivate } : {}) };
  return { id, userId, title, prompt, ...turn, lastRunAt, createdAt };
}
