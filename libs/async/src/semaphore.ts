interface Waiter {
  readonly count: number;
  readonly grant: () => void;
}

/** Limits how much runs concurrently; waiters are served in order of arrival. */
export class Semaphore {
  readonly #limit: number;
  readonly #waiting: Waiter[] = [];
  #free: number;

  constructor(limit: number) {
    this.#limit = limit;
    this.#free = limit;
  }

  /** Waits for `count` slots (at most the limit); the caller must release them. */
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

  /** Resolves when every slot is free. Calls to `acquire` made in the meantime wait. */
  async idle(): Promise<void> {
    await this.acquire(this.#limit);
    this.release(this.#limit);
  }
}
