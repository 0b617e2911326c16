/** Every nth poll looks for due heartbeats, and for those that become due before the next such poll. */
export const pollsPerRead = 5;

/**
 * Decides which polls look for due heartbeats. Every fifth poll does. It also finds the heartbeats that become due
 * before the next such poll; the caller passes their times to `expect`, and the first poll at or after the earliest of
 * these times looks, too. So does the poll after `expectNow`.
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

  /** Call this with the time at which a heartbeat that is not yet due will be due. */
  expect(at: Date): void {
    this.#dueAtMs = Math.min(this.#dueAtMs, at.getTime());
  }

  /** Call this when a heartbeat may be due at the next poll. */
  expectNow(): void {
    this.#polls = 0;
  }
}
