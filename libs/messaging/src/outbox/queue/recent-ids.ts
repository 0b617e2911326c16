/** Remembers each id for at least `retentionMs`, and at most twice as long. */
export class RecentIds {
  #current = new Set<string>();
  #previous = new Set<string>();
  #currentSinceMs: number;

  constructor(
    private readonly retentionMs: number,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.#currentSinceMs = now();
  }

  add(ids: Iterable<string>): void {
    this.#forgetOld();
    for (const id of ids) this.#current.add(id);
  }

  has(id: string): boolean {
    this.#forgetOld();
    return this.#current.has(id) || this.#previous.has(id);
  }

  clear(): void {
    this.#current.clear();
    this.#previous.clear();
  }

  #forgetOld(): void {
    const ageMs = this.now() - this.#currentSinceMs;
    if (ageMs < this.retentionMs) return;
    const isNextPeriod = ageMs < 2 * this.retentionMs;
    this.#previous = isNextPeriod ? this.#current : new Set();
    this.#current = new Set();
    this.#currentSinceMs += isNextPeriod ? this.retentionMs : ageMs;
  }
}
