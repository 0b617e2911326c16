interface Waiting {
  readonly count: number;
  readonly grant: () => void;
}

/** Bounds how much is under way; those who wait are served in the order they came. */
export class Slots {
  readonly #limit: number;
  readonly #waiting: Waiting[] = [];
  #free: number;

  constructor(limit: number) {
    this.#limit = limit;
    this.#free = limit;
  }

  /** Resolves when `count` slots (at most the limit) are the caller's, who must give them back. */
  async acquire(count = 1): Promise<void> {
    if (this.#waiting.length === 0 && this.#free >= count) {
      this.#free -= count;
      return;
    }
    await new Promise<void>((grant) => this.#waiting.push({ count, grant }));
  }

  release(count = 1): void {
    this.#free += count;
    for (let next = this.#waiting[0]; next && this.#free >= next.count; next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#free -= next.count;
      next.grant();
    }
  }

  /** Resolves at a moment when nothing is under way. */
  async idle(): Promise<void> {
    await this.acquire(this.#limit);
    this.release(this.#limit);
  }
}
