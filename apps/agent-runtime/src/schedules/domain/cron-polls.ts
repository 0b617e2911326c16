const minuteMs = 60_000;
/**
 * How many polls look after the beginning of a minute: enough for crons that were stored a little after the
 * minute they were created in, and for clocks that differ.
 */
const pollsAfterMinute = 5;
/** Every nth poll looks for crons at any time, and so finds any that the others have missed. */
const pollsPerSweep = 10;

/**
 * Decides which polls look for due crons: ticks are at whole minutes, so most polls would find nothing. Only
 * these polls look: the first few of each minute, the next few after a cron was found or may be due, and every
 * tenth.
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
