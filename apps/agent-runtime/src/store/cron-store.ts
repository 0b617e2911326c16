import type { Collection, Db } from 'mongodb';
import type { CollectionIndexes } from '@daycare/mongo';
import { mostSchedules, type Cron } from '../domain/schedule';
import { firingIndexes, FiringRows, type FiringRow, type Ticks } from './firing-rows';
import {
  ownedIndexes,
  OwnedRows,
  type InsertOutcome,
  type OwnedListing,
  type OwnedRow,
} from './owned-rows';

interface CronDocument
  extends Omit<Cron, 'id' | 'nextFireAt' | 'lastFiredAt'>, OwnedRow, FiringRow {
  readonly _id: string;
  readonly userId: string;
  readonly shard: number;
  readonly createdAt: Date;
  /** The latest requests that paused or resumed it. */
  readonly changedBy?: readonly string[];
}

/** A cron and the tick that is under way. */
export interface FiringCron extends Cron {
  readonly firing: Date | undefined;
}

export interface CronChange {
  readonly userId: string;
  readonly cronId: string;
  readonly requestId: string;
}

const collection = 'crons';
const rememberedChanges = 16;

export const cronIndexes: CollectionIndexes = {
  collection,
  indexes: [...ownedIndexes, ...firingIndexes],
};

/** The crons of users: what they say, and when they fire next. */
export class CronStore {
  readonly #crons: Collection<CronDocument>;
  readonly #owned: OwnedRows<CronDocument>;
  readonly #firing: FiringRows<CronDocument>;
  readonly ticks: Ticks;

  constructor(db: Db) {
    this.#crons = db.collection(collection);
    this.#owned = new OwnedRows(db, collection, mostSchedules);
    this.#firing = new FiringRows(db, collection);
    this.ticks = this.#firing;
  }

  isFull(userId: string): Promise<boolean> {
    return this.#owned.isFull(userId);
  }

  /** `deleted` for one that was there a short while ago. */
  async find(userId: string, id: string): Promise<Cron | 'deleted' | undefined> {
    const found = await this.#owned.find(userId, id);
    return found?.deletedAt ? 'deleted' : found && toCron(found);
  }

  insert({ id: _id, ...fields }: Cron): Promise<InsertOutcome> {
    const { nextFireAt, lastFiredAt: _, ...rest } = fields;
    return this.#owned.insert({ _id, ...rest, ...(nextFireAt ? { nextFireAt } : {}) });
  }

  /** By user, oldest first. */
  async list(listing: OwnedListing): Promise<Cron[]> {
    return (await this.#owned.list(listing)).map(toCron);
  }

  count(userIds: readonly string[]): Promise<number> {
    return this.#owned.count(userIds);
  }

  /** Whether a request has been applied to a cron. */
  async hasApplied({ userId, cronId, requestId }: CronChange): Promise<boolean> {
    return (await this.#owned.find(userId, cronId))?.changedBy?.includes(requestId) ?? false;
  }

  /** Keeps a cron from firing. Once per request: a late repetition does not undo a later change. */
  async pause(change: CronChange): Promise<void> {
    await this.#change(change, { nextFireAt: '$$REMOVE' });
  }

  /** Has a cron fire from the given time on; one that is not paused is left as it is. */
  async resume(change: CronChange, nextFireAt: Date): Promise<void> {
    await this.#change(change, { nextFireAt: { $ifNull: ['$nextFireAt', nextFireAt] } });
  }

  /** False when the user has no such cron. */
  delete({ cronId: id, ...change }: CronChange, now: Date): Promise<boolean> {
    const erased = { nextFireAt: 1, firing: 1, name: 1, prompt: 1 } as const;
    return this.#owned.delete({ id, ...change }, erased, now);
  }

  async *open(shards: readonly number[], now: Date): AsyncGenerator<FiringCron> {
    for await (const row of this.#firing.open(shards, now))
      yield { ...toCron(row), firing: row.firing };
  }

  deleteOfUser(userId: string): Promise<void> {
    return this.#owned.deleteOfUser(userId);
  }

  async #change({ userId, cronId, requestId }: CronChange, fields: object): Promise<void> {
    const known = { $ifNull: ['$changedBy', []] };
    const changedBy = {
      $slice: [{ $concatArrays: [known, [{ $literal: requestId }]] }, -rememberedChanges],
    };
    await this.#crons.updateOne(
      { _id: cronId, userId, slot: { $exists: true }, changedBy: { $ne: requestId } },
      [{ $set: { ...fields, changedBy } }],
    );
  }
}

function toCron(document: CronDocument): Cron {
  const { _id: id, userId, shard, name, schedule, timeZone, prompt, agentId, once } = document;
  const { nextFireAt, lastFiredAt, createdAt } = document;
  const said = { id, userId, shard, name, schedule, timeZone, prompt, agentId, once };
  return { ...said, nextFireAt, lastFiredAt, createdAt };
}
