import type { Db, MongoClient } from 'mongodb';

/** How long a measured difference between the two clocks is relied on. */
const syncEveryMs = 60_000;

/**
 * The database's time, for timestamps that other replicas compare with the current time: a replica whose clock is
 * wrong would otherwise store timestamps far from everyone else's time. Before the first `sync`, it is the process's
 * own time.
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

  /** Compares the clocks, at most once a minute. */
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

/** Returns the clock that everything in this process shares per client. */
export function databaseClock(db: Db): DatabaseClock {
  const clock = clocks.get(db.client) ?? new DatabaseClock(db);
  clocks.set(db.client, clock);
  return clock;
}
