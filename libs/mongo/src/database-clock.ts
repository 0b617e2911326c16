import type { Db, MongoClient } from 'mongodb';

/** How long a measured clock difference is used before it is measured again. */
const syncEveryMs = 60_000;

/**
 * Follows the database's clock, so that replicas can compare each other's timestamps even if one replica's own clock
 * is wrong. Before the first `sync`, it returns the process's time.
 */
export class DatabaseClock {
  #aheadMs = 0;
  #syncedAtMs = -Infinity;

  constructor(
    private readonly db: Db,
    private readonly processNow: () => number = Date.now,
  ) {}

  now(): Date {
    return new Date(this.processNow() + this.#aheadMs);
  }

  /** Compares the process's clock with the database's, at most once a minute. */
  async sync(): Promise<void> {
    if (performance.now() - this.#syncedAtMs < syncEveryMs) return;
    const startedAt = this.processNow();
    const { localTime } = await this.db.command({ hello: 1 });
    const endedAt = this.processNow();
    const differenceMs = (localTime as Date).getTime() - (startedAt + endedAt) / 2;
    // A smaller difference may be due to the round trip.
    this.#aheadMs = Math.abs(differenceMs) > 100 + (endedAt - startedAt) ? differenceMs : 0;
    this.#syncedAtMs = performance.now();
  }
}

const clocks = new WeakMap<MongoClient, DatabaseClock>();

/** Returns the one clock that this process uses for the client. */
export function databaseClock(db: Db): DatabaseClock {
  const clock = clocks.get(db.client) ?? new DatabaseClock(db);
  clocks.set(db.client, clock);
  return clock;
}
