const waitFactor = 9;
const maxWaitMs = 10_000;

/**
 * Polls repeatedly, one poll at a time, until the returned function is called. After each poll, waits nine times as
 * long as the poll took, but at most ten seconds and never less than `pollMs`, so that long polls do not keep the
 * database busy. `poll` must never reject.
 */
export function pollGently(poll: () => Promise<void>, pollMs: number): () => void {
  let isStopped = false;
  let timer: NodeJS.Timeout;
  const schedule = (ms: number): void => {
    if (!isStopped) timer = setTimeout(() => void pollOnce(), ms);
  };
  const pollOnce = async (): Promise<void> => {
    const startedAt = performance.now();
    await poll();
    const tookMs = performance.now() - startedAt;
    schedule(Math.max(pollMs, Math.min(maxWaitMs, waitFactor * tookMs)));
  };
  schedule(pollMs);
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}

/** Skips polls while hints announce every change: then only one in `every` polls is made, in case a hint was lost. */
export class RarePolls {
  #skipped = 0;
  #wasQuiet = false;

  constructor(private readonly every: number) {}

  /**
   * Reports whether to poll this time; `isQuiet` is true while hints announce every change. The first poll of a quiet
   * period is always made, because a hint may have been lost before it.
   */
  isDue(isQuiet: boolean): boolean {
    const isDue = !isQuiet || !this.#wasQuiet || this.#skipped + 1 >= this.every;
    this.#skipped = isDue ? 0 : this.#skipped + 1;
    this.#wasQuiet = isQuiet;
    return isDue;
  }

  /** Makes the next poll due: a hint may have been lost, or the last poll has failed. */
  makeNextDue(): void {
    this.#wasQuiet = false;
  }
}
