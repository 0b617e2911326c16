/**
 * Limits the number of concurrent calls: lowers the limit after a failed or slow call, and raises it after any other
 * call. Replicas that are killed once a second can answer a few concurrent calls, but if there are many calls, they
 * answer none.
 */
export class CallWindow {
  readonly #waiting: (() => void)[] = [];
  #limit: number;
  #running = 0;

  constructor(private readonly maxCalls: number) {
    this.#limit = Math.min(8, maxCalls);
  }

  async run<T>(call: () => Promise<T>): Promise<T> {
    while (this.#running >= Math.floor(this.#limit))
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#running += 1;
    const startedMs = performance.now();
    try {
      const answer = await call();
      const isSlow = performance.now() - startedMs > slowMs;
      this.#limit = isSlow
        ? this.#lowerLimit()
        : Math.min(this.maxCalls, this.#limit + 1 / this.#limit);
      return answer;
    } catch (error) {
      this.#limit = this.#lowerLimit();
      throw error;
    } finally {
      this.#running -= 1;
      for (const resolve of this.#waiting.splice(0, 2)) resolve();
    }
  }

  #lowerLimit(): number {
    return Math.max(2, this.#limit - 0.5);
  }
}

const slowMs = 1_000;
