type Grant = () => void;

/**
 * Limits concurrency in total and per user. Users take turns: a user with a thousand waiting
 * requests delays another by one turn at most. Who counts as one user is up to the caller.
 */
export class FairSemaphore {
  readonly #running = new Map<string, number>();
  /** Users in the order in which they are served next. */
  readonly #waiting = new Map<string, Grant[]>();
  #free: number;

  constructor(
    limit: number,
    private readonly perUser: number,
  ) {
    this.#free = limit;
  }

  /** Resolves when the user holds a slot; the caller must release it. */
  async acquire(userId: string): Promise<void> {
    const isNext = this.#waiting.size === 0 || !this.#waiting.has(userId);
    if (isNext && this.#mayRun(userId)) return this.#take(userId);
    await new Promise<void>((grant) => {
      const grants = this.#waiting.get(userId);
      if (grants) grants.push(grant);
      else this.#waiting.set(userId, [grant]);
    });
  }

  release(userId: string): void {
    const left = (this.#running.get(userId) ?? 0) - 1;
    if (left > 0) this.#running.set(userId, left);
    else this.#running.delete(userId);
    this.#free += 1;
    this.#serveNext();
  }

  #serveNext(): void {
    for (const [userId, grants] of this.#waiting) {
      if (this.#free === 0) return;
      if (!this.#mayRun(userId)) continue;
      const grant = grants.shift();
      this.#waiting.delete(userId);
      if (grants.length > 0) this.#waiting.set(userId, grants);
      this.#take(userId);
      grant?.();
    }
  }

  #mayRun(userId: string): boolean {
    return this.#free > 0 && (this.#running.get(userId) ?? 0) < this.perUser;
  }

  #take(userId: string): void {
    this.#free -= 1;
    this.#running.set(userId, (this.#running.get(userId) ?? 0) + 1);
  }
}
