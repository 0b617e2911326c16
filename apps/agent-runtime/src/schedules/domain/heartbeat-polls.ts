/** Every nth poll looks for heartbeats that are due before the next such poll. */
export const pollsPerRead = 5;

/**
 * Decides which polls look for due heartbeats: every fifth, which also finds the heartbeats that will become
 * due before the next fifth, and any poll in between at which one of those is due.
 */
export class HeartbeatPolls {
  #polls = 0;
  #dueAtMs = Infinity;

  /** Counts a poll at this time, by the schedule clock, and reports whether it looks for due heartbeats. */
  next(now: Date): boolean {
    const isDue = this.#polls % pollsPerRead === 0 || this.#dueAtMs <= now.getTime();
    this.#polls += 1;
    if (isDue) this.#dueAtMs = Infinity;
    return isDue;
  }

  /** Call this with the time at which a heartbeat will be due. */
  expect(at: Date): void {
    this.#dueAtMs = Math.min(this.#dueAtMs, at.getTime());
  }

  /** Call this when a heartbeat may be due at the next poll. */
  expectNow(): void {
    this.#polls = 0;
  }
}
