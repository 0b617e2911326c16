import type { Collection, Db, IndexDescription } from 'mongodb';
import type { DueStep } from '../domain/due-ticks';

/** Something that fires at times. */
export interface FiringRow {
  readonly _id: string;
  readonly userId: string;
  readonly shard: number;
  /** Missing when it is not to fire. */
  readonly nextFireAt?: Date;
  readonly lastFiredAt?: Date;
  /** The tick that somebody has claimed and that may not have been heard yet. */
  readonly firing?: Date;
  /** What that tick is about, when that had to be chosen. */
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

/** How a tick is claimed and finished. */
export type Ticks = Pick<FiringRows<FiringRow>, 'claim' | 'finish' | 'end'>;

/**
 * Which tick of a schedule has been claimed, and whether it was heard. A tick is claimed once: whoever
 * claims it must have seen the schedule's next time, and moves that on.
 */
export class FiringRows<R extends FiringRow> {
  readonly #rows: Collection<FiringRow>;

  constructor(db: Db, collection: string) {
    this.#rows = db.collection(collection);
  }

  /** What is due in these shards, and what somebody has claimed and not finished. */
  async *open(shards: readonly number[], now: Date): AsyncGenerator<R> {
    const shard = { $in: [...shards] };
    const isOpen = {
      $or: [
        { shard, nextFireAt: { $lte: now } },
        { shard, firing: { $exists: true } },
      ],
    };
    // Only rows of this kind are in the collection.
    for await (const row of this.#rows.find(isOpen)) yield row as R;
  }

  /** Claims a tick, or passes over what was missed; false when the schedule has changed since. */
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

  /** The tick was heard. */
  async finish(id: string, tick: Date): Promise<void> {
    await this.#rows.updateOne({ _id: id, firing: tick }, { $unset: { firing: 1, chosen: 1 } });
  }

  /** Nobody is there to hear the tick, nor any after it. */
  async end(id: string, tick: Date): Promise<void> {
    await this.#rows.updateOne(
      { _id: id, firing: tick },
      { $unset: { firing: 1, chosen: 1, nextFireAt: 1 } },
    );
  }
}
