import type { Collection, Db, IndexDescription } from 'mongodb';
import type { DueStep } from '../domain/due-ticks';
import type { ScheduleProvenance } from '../domain/schedule';

/** A requested run: the request, and the provenance of the turn that made the request. */
export interface ManualTick extends ScheduleProvenance {
  readonly requestId: string;
  /** The number of agents in the chain that led to the request. */
  readonly hops: number;
}

/** A document with scheduled ticks. */
export interface FiringRow {
  readonly _id: string;
  readonly userId: string;
  readonly shard: number;
  /** Missing when the schedule must not fire. */
  readonly nextFireAt?: Date;
  readonly lastFiredAt?: Date;
  /** The tick that was claimed and may not have been delivered yet. */
  readonly firing?: Date;
  /** Present when that tick was requested. */
  readonly manual?: ManualTick;
  /** The ids of the heartbeats chosen for that tick; only in heartbeat batches. */
  readonly chosen?: readonly string[];
}

export const firingIndexes: readonly (IndexDescription & { readonly name: string })[] = [
  {
    name: 'due',
    key: { shard: 1, nextFireAt: 1 },
    partialFilterExpression: { nextFireAt: { $exists: true } },
  },
  {
    name: 'firing',
    key: { shard: 1, firing: 1 },
    partialFilterExpression: { firing: { $exists: true } },
  },
];

/** Claims and finishes ticks. */
export type Ticks = Pick<FiringRows<FiringRow>, 'claim' | 'finish' | 'end'>;

/**
 * Stores which tick of a schedule is claimed and not yet delivered. A tick is claimed only once, because a claim
 * requires the schedule's current next tick and advances it.
 */
export class FiringRows<R extends FiringRow> {
  readonly #rows: Collection<FiringRow>;

  constructor(db: Db, collection: string) {
    this.#rows = db.collection(collection);
  }

  /**
   * Yields the schedules in these shards that are due by `until`, and those with a tick that was claimed but not
   * finished.
   */
  async *findOpen(shards: readonly number[], until: Date): AsyncGenerator<R> {
    const shard = { $in: [...shards] };
    const isOpen = {
      $or: [
        { shard, nextFireAt: { $lte: until } },
        { shard, firing: { $exists: true } },
      ],
    };
    // The collection holds only rows of this kind.
    for await (const row of this.#rows.find(isOpen)) yield row as R;
  }

  /** Claims a tick, or skips missed ones; returns false when the schedule has changed since it was read. */
  async claim(id: string, dueAt: Date, { tick, next }: DueStep): Promise<boolean> {
    const fired = tick ? { firing: tick, lastFiredAt: tick } : {};
    const { matchedCount } = await this.#rows.updateOne(
      { _id: id, nextFireAt: dueAt, firing: { $exists: false } },
      {
        $set: { ...fired, ...(next ? { nextFireAt: next } : {}) },
        ...(next ? {} : { $unset: { nextFireAt: 1 } }),
      },
    );
    return matchedCount === 1;
  }

  /** Marks the tick as delivered. */
  async finish(id: string, tick: Date): Promise<void> {
    await this.#rows.updateOne(
      { _id: id, firing: tick },
      { $unset: { firing: 1, manual: 1, chosen: 1 } },
    );
  }

  /** Drops this tick and all later ones, because there is no agent to receive them. */
  async end(id: string, tick: Date): Promise<void> {
    await this.#rows.updateOne(
      { _id: id, firing: tick },
      { $unset: { firing: 1, manual: 1, chosen: 1, nextFireAt: 1 } },
    );
  }
}
