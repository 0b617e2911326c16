/** Every nth poll looks for heartbeats that are due before the next such poll. */
export const pollsPerRead = 5;

/**
 * Decides which polls look for due heartbeats: every fifth, which also finds the heartbeats that become
 * due before the next such poll, and any poll at which one of these is due.
 */
export class HeartbeatPolls {
  #polls = 0;
  #dueAtMs = Infinity;

  /** Whether a poll at this time, by the schedule clock, looks for due heartbeats. */
  next(now: Date): boolean {
    const isDue = this.#polls % pollsPerRead === 0 || this.#dueAtMs <= now.getTime();
    this.#polls += 1;
    if (isDue) this.#dueAtMs = Infinity;
    return isDue;
  }

  /** A heartbeat is due at that time. */
  expect(at: Date): void {
    this.#dueAtMs = Math.min(this.#dueAtMs, at.getTime());
  }

  /** A heartbeat may be due at the next poll. */
  expectNow(): void {
    this.#polls = 0;
  }
}
