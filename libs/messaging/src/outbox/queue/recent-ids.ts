/** Remembers each id for at least `forMs`, and at most twice as long. */
export class RecentIds {
  #current = new Set<string>();
  #before = new Set<string>();
  #currentSinceMs: number;

  constructor(
    private readonly forMs: number,
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
    return this.#current.has(id) || this.#before.has(id);
  }

  clear(): void {
    this.#current.clear();
    this.#before.clear();
  }

  #forgetOld(): void {
    const ageMs = this.now() - this.#currentSinceMs;
    if (ageMs < this.forMs) return;
    const isNext = ageMs < 2 * this.forMs;
    this.#before = isNext ? this.#current : new Set();
    this.#current = new Set();
    this.#currentSinceMs += isNext ? this.forMs : ageMs;
  }
}
