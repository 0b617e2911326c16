/**
 * Bounds the number of concurrent calls: fewer after a failed or slow call, more after each
 * success. Replicas that are killed every second answer a few calls, but none of many concurrent
 * ones.
 */
export class CallWindow {
  readonly #waiting: (() => void)[] = [];
  #limit: number;
  #underWay = 0;

  constructor(private readonly most: number) {
    this.#limit = Math.min(8, most);
  }

  async run<T>(call: () => Promise<T>): Promise<T> {
    while (this.#underWay >= Math.floor(this.#limit))
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#underWay += 1;
    const startedMs = performance.now();
    try {
      const answer = await call();
      const isSlow = performance.now() - startedMs > slowMs;
      this.#limit = isSlow ? this.#less() : Math.min(this.most, this.#limit + 1 / this.#limit);
      return answer;
    } catch (error) {
      this.#limit = this.#less();
      throw error;
    } finally {
      this.#underWay -= 1;
      for (const resolve of this.#waiting.splice(0, 2)) resolve();
    }
  }

  #less(): number {
    return Math.max(2, this.#limit - 0.5);
  }
}

const slowMs = 1_000;
