/** Every nth poll looks for heartbeats, including those that will become due before the next such poll. */
export const pollsPerRead = 5;

/**
 * Decides which polls look for due heartbeats: every fifth poll, which also finds the heartbeats due before the next
 * fifth poll, and the first poll after the earliest of these times, which the caller passes to `expect`.
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

  /** Call this with the time at which a heartbeat that is not due yet will be due. */
  expect(at: Date): void {
    this.#dueAtMs = Math.min(this.#dueAtMs, at.getTime());
  }

  /** Call this when a heartbeat may be due at the next poll. */
  expectNow(): void {
    this.#polls = 0;
  }
}
