import type { Collection, Db } from 'mongodb';
import { againOnDuplicate, type CollectionIndexes } from '@daycare/mongo';
import { mostSchedules, type Heartbeat } from '../domain/schedule';
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

/** When all heartbeats of a user are run; its id is the user's. */
export interface HeartbeatBatch extends FiringRow {
  /** When a heartbeat was last about to be added. */
  readonly wantedAt?: Date;
}

const collection = 'heartbeats';
const batchCollection = 'heartbeat_batches';

export const heartbeatIndexes: readonly CollectionIndexes[] = [
  { collection, indexes: ownedIndexes },
  { collection: batchCollection, indexes: firingIndexes },
];

/** The heartbeats of users, and when each user's are run. */
export class HeartbeatStore {
  readonly #heartbeats: Collection<HeartbeatDocument>;
  readonly #batches: Collection<HeartbeatBatch>;
  readonly #owned: OwnedRows<HeartbeatDocument>;
  readonly #firing: FiringRows<HeartbeatBatch>;
  readonly ticks: Ticks;

  constructor(db: Db) {
    this.#heartbeats = db.collection(collection);
    this.#batches = db.collection(batchCollection);
    this.#owned = new OwnedRows(db, collection, mostSchedules);
    this.#firing = new FiringRows(db, batchCollection);
    this.ticks = this.#firing;
  }

  /** `deleted` for one that was there a short while ago. */
  async find(userId: string, id: string): Promise<Heartbeat | 'deleted' | undefined> {
    const found = await this.#owned.find(userId, id);
    return found?.deletedAt ? 'deleted' : found && toHeartbeat(found);
  }

  insert({ id: _id, lastRunAt: _, ...fields }: Heartbeat): Promise<InsertOutcome> {
    return this.#owned.insert({ _id, ...fields });
  }

  /** By user, oldest first. */
  async list(listing: OwnedListing): Promise<Heartbeat[]> {
    return (await this.#owned.list(listing)).map(toHeartbeat);
  }

  count(userIds: readonly string[]): Promise<number> {
    return this.#owned.count(userIds);
  }

  digest(userIds: readonly string[]): Promise<string> {
    return this.#owned.digest(userIds);
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
   * Has a user's heartbeats run from the given time on, unless they are already. `wantedAt` is now, by
   * the clock of schedules.
   */
  async ensureBatch(
    { userId, shard }: Pick<HeartbeatBatch, 'userId' | 'shard'>,
    nextFireAt: Date,
    wantedAt: Date,
  ): Promise<void> {
    const first = { $ifNull: ['$nextFireAt', nextFireAt] };
    const wanted = { $max: ['$wantedAt', wantedAt] };
    await againOnDuplicate(() =>
      this.#batches.updateOne(
        { _id: userId },
        [{ $set: { userId, shard, nextFireAt: first, wantedAt: wanted } }],
        { upsert: true },
      ),
    );
  }

  /**
   * Writes down what the tick under way is about, and returns it: what somebody chose before stays.
   * Undefined when that tick is not under way any more.
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

  /** Ends the batch of a user who has no heartbeats, unless one has been about to be added since then. */
  async removeBatch(userId: string, tick: Date, since: Date): Promise<void> {
    await this.#batches.deleteOne({
      _id: userId,
      firing: tick,
      wantedAt: { $not: { $gt: since } },
    });
  }

  openBatches(shards: readonly number[], now: Date): AsyncGenerator<HeartbeatBatch> {
    return this.#firing.open(shards, now);
  }

  async deleteOfUser(userId: string): Promise<void> {
    await this.#batches.deleteOne({ _id: userId });
    await this.#owned.deleteOfUser(userId);
  }
}

function toHeartbeat(document: HeartbeatDocument): Heartbeat {
  const { _id: id, userId, title, prompt, lastRunAt, createdAt } = document;
  return { id, userId, title, prompt, lastRunAt, createdAt };
}
