import type { Collection, Db } from 'mongodb';
import type { CollectionIndexes } from '@daycare/mongo';

interface GuestTurnsDocument {
  /** The owner of the addressed agents: their user or, if that is a subuser, the subuser's owner. */
  readonly _id: string;
  /** When the hour began. */
  readonly from: Date;
  /** How many of the hour's permits were handed out and not given back, whether used or not. */
  readonly taken: number;
  /** How many permits the last reservation handed out. */
  readonly granted: number;
  readonly expiresAt: Date;
}

/** The unused permits of this process for an hour. */
interface Permits {
  readonly from: Date;
  left: number;
  /** Whether the database has no more permits for this hour. */
  readonly isExhausted: boolean;
}

const collection = 'guest_turns';
const hourMs = 60 * 60 * 1000;

export const guestTurnIndexes: CollectionIndexes = {
  collection,
  shardKey: { _id: 'hashed' },
  indexes: [{ name: 'expiry', key: { expiresAt: 1 }, expireAfterSeconds: 0 }],
};

/**
 * Limits how many turns guests and outsiders may start per hour, for each owner of agents. Permits are taken
 * from the database in batches; the fewer permits the hour has left, the smaller the batch. Permits that a dying
 * process holds are lost, so the limit can become stricter but not looser. An hour begins with its first
 * turn.
 */
export class GuestTurnStore {
  readonly #hours: Collection<GuestTurnsDocument>;
  readonly #permits = new Map<string, Permits>();
  readonly #renewals = new Map<string, Promise<void>>();

  constructor(
    db: Db,
    private readonly perHour: number,
    private readonly now: () => Date = () => new Date(),
  ) {
    this.#hours = db.collection(collection);
  }

  /** Takes a permit; if there is none, returns when there will be permits again. */
  async take(ownerUserId: string): Promise<Date | undefined> {
    for (;;) {
      const permits = this.#current(ownerUserId);
      if (permits?.isExhausted) return new Date(permits.from.getTime() + hourMs);
      if (permits) {
        permits.left -= 1;
        return undefined;
      }
      await this.#renew(ownerUserId);
    }
  }

  /**
   * Returns unused permits to the database, for the replicas that serve the owners' agents next. If that fails,
   * the permits are lost, as in a crash.
   */
  async returnUnused(): Promise<void> {
    const unused = [...this.#permits].filter(([, { left }]) => left > 0);
    // Removed before they are returned, so that none of them can be used any more.
    for (const [ownerUserId] of unused) this.#permits.delete(ownerUserId);
    if (unused.length === 0) return;
    await this.#hours.bulkWrite(
      unused.map(([_id, { from, left }]) => ({
        updateOne: { filter: { _id, from }, update: { $inc: { taken: -left } } },
      })),
      { ordered: false },
    );
  }

  /** Reserves permits; an owner's agents that need some at the same time share one reservation. */
  async #renew(ownerUserId: string): Promise<void> {
    const renewal =
      this.#renewals.get(ownerUserId) ??
      this.#reserve(ownerUserId)
        .then((permits) => this.#storePermits(ownerUserId, permits))
        .finally(() => this.#renewals.delete(ownerUserId));
    this.#renewals.set(ownerUserId, renewal);
    await renewal;
  }

  /** Stores the permits, and drops those from past hours: owners without further guests would keep theirs forever. */
  #storePermits(ownerUserId: string, permits: Permits): void {
    this.#permits.delete(ownerUserId);
    this.#permits.set(ownerUserId, permits);
    for (const [userId, { from }] of this.#permits) {
      if (!this.#isOver(from)) return;
      this.#permits.delete(userId);
    }
  }

  #isOver(from: Date): boolean {
    return this.now().getTime() - from.getTime() >= hourMs;
  }

  /**
   * Returns the permits for this hour; undefined if more have to be reserved. Drops permits from a past hour.
   */
  #current(ownerUserId: string): Permits | undefined {
    const permits = this.#permits.get(ownerUserId);
    const isOver = !permits || this.#isOver(permits.from);
    if (isOver) this.#permits.delete(ownerUserId);
    return !isOver && (permits.left > 0 || permits.isExhausted) ? permits : undefined;
  }

  async #reserve(ownerUserId: string): Promise<Permits> {
    const now = this.now();
    const isNew = { $lte: [{ $ifNull: ['$from', new Date(0)] }, new Date(now.getTime() - hourMs)] };
    const taken = { $cond: [isNew, 0, '$taken'] };
    const left = { $subtract: [this.perHour, taken] };
    // A tenth of the remaining permits, and one at a time in the end, so that no process withholds many
    // from the others.
    const granted = {
      $max: [0, { $min: [left, { $max: [1, { $floor: { $divide: [left, 10] } }] }] }],
    };
    const hour = await this.#hours.findOneAndUpdate(
      { _id: ownerUserId },
      [
        { $set: { granted, taken, from: { $cond: [isNew, now, '$from'] } } },
        {
          $set: {
            taken: { $add: ['$taken', '$granted'] },
            expiresAt: { $add: ['$from', 2 * hourMs] },
          },
        },
      ],
      { upsert: true, returnDocument: 'after' },
    );
    const reserved = hour?.granted ?? 0;
    return { from: hour?.from ?? now, left: reserved, isExhausted: reserved === 0 };
  }

  async deleteByUser(userId: string): Promise<void> {
    this.#permits.delete(userId);
    await this.#hours.deleteOne({ _id: userId });
  }
}
