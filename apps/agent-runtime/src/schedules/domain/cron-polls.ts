const minuteMs = 60_000;
/**
 * How many polls at the beginning of a minute look for due crons: enough to find a cron that was created just before
 * the minute began and stored just after, and to allow for clock differences.
 */
const pollsAfterMinute = 5;
/** Every nth poll always looks for due crons, and so finds those that the other polls have missed. */
const pollsPerSweep = 10;

/**
 * Decides which polls look for due crons. Ticks are at whole minutes, so most polls would find nothing. Only these
 * polls look: the first few of each minute, the first few after a cron was found or may have become due, and every
 * tenth.
 */
export class CronPolls {
  #minute: number | undefined;
  #polls = 0;
  #pollsLeft = 0;

  /**
   * Returns what a poll at this time, by the schedule clock, looks for: `ticks` are due crons, `sweep` also includes
   * `once` crons to be removed.
   */
  next(now: Date): 'sweep' | 'ticks' | 'none' {
    const minute = Math.floor(now.getTime() / minuteMs);
    if (minute !== this.#minute) this.expectSoon();
    this.#minute = minute;
    this.#pollsLeft -= 1;
    if (this.#polls++ % pollsPerSweep === 0) return 'sweep';
    return this.#pollsLeft >= 0 ? 'ticks' : 'none';
  }

  /** Call this when a cron may be due at one of the next polls. */
  expectSoon(): void {
    this.#pollsLeft = pollsAfterMinute;
  }
}
