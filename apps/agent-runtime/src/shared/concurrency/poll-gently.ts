const restFactor = 9;
const maxRestMs = 10_000;

/**
 * Polls again and again until the returned function is called, one poll at a time. Rests nine times as long
 * as the last poll took, within bounds, so that a long one does not keep the database busy. `poll` never rejects.
 */
export function pollGently(poll: () => Promise<void>, pollMs: number): () => void {
  let isStopped = false;
  let timer: NodeJS.Timeout;
  const rest = (ms: number): void => {
    if (!isStopped) timer = setTimeout(() => void pollOnce(), ms);
  };
  const pollOnce = async (): Promise<void> => {
    const startedAt = performance.now();
    await poll();
    const tookMs = performance.now() - startedAt;
    rest(Math.max(pollMs, Math.min(maxRestMs, restFactor * tookMs)));
  };
  rest(pollMs);
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
   * Whether to poll this time; `isQuiet` while hints announce every change. The first poll of a quiet period
   * is always made, because a hint may have been lost before.
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
