/** How many polls pass between two that look ahead; each looks ahead at least this far. */
export const pollsPerLook = 5;

/**
 * Decides which polls look for due heartbeats: every fifth, which also sees those that are due before the next
 * one looks, and any at which one of these is due.
 */
export class HeartbeatPolls {
  #polls = 0;
  #dueAtMs = Infinity;

  /** Notes a poll at this time, by the schedule clock. */
  next(now: Date): boolean {
    const isDue = this.#polls % pollsPerLook === 0 || this.#dueAtMs <= now.getTime();
    this.#polls += 1;
    if (isDue) this.#dueAtMs = Infinity;
    return isDue;
  }

  /** There is something to do at that time. */
  expect(at: Date): void {
    this.#dueAtMs = Math.min(this.#dueAtMs, at.getTime());
  }

  /** There may be something to do at the next poll. */
  expectNow(): void {
    this.#polls = 0;
  }
}
