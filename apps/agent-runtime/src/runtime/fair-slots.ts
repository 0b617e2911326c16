type Grant = () => void;

/**
 * Bounds how much is under way, in all and for each user. Users take turns: one that waits for a
 * thousand does not keep another waiting for more than its turn.
 */
export class FairSlots {
  readonly #running = new Map<string, number>();
  /** Users in the order in which they are next served. */
  readonly #waiting = new Map<string, Grant[]>();
  #free: number;

  constructor(
    limit: number,
    private readonly perUser: number,
  ) {
    this.#free = limit;
  }

  /** Resolves when a slot is the user's, who must give it back. */
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
