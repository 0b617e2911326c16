const minuteMs = 60_000;
/** Covers crons that were stored a little after the minute they were created in, and clocks that differ. */
const pollsAfterMinute = 5;
/** Covers anything else that may have been missed. */
const pollsPerSweep = 10;

/**
 * Decides which polls look for due crons: ticks are at whole minutes, so most polls would find nothing.
 * Only these polls look: those after the beginning of a minute, those after a cron was found or
 * expected, and every tenth.
 */
export class CronPolls {
  #minute: number | undefined;
  #polls = 0;
  #left = 0;

  /** What a poll at this time, by the schedule clock, looks for; `sweep` includes crons to be removed. */
  next(now: Date): 'sweep' | 'ticks' | 'none' {
    const minute = Math.floor(now.getTime() / minuteMs);
    if (minute !== this.#minute) this.expect();
    this.#minute = minute;
    this.#left -= 1;
    if (this.#polls++ % pollsPerSweep === 0) return 'sweep';
    return this.#left >= 0 ? 'ticks' : 'none';
  }

  /** A cron may be due at the next poll. */
  expect(): void {
    this.#left = pollsAfterMinute;
  }
}
