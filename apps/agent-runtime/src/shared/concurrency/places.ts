/** A number of places for each user, which are taken without waiting. */
export class Places {
  readonly #taken = new Map<string, number>();

  constructor(private readonly perUser: number) {}

  /** Whether there was a free place; the caller must release it. */
  tryTake(userId: string): boolean {
    const taken = this.#taken.get(userId) ?? 0;
    if (taken >= this.perUser) return false;
    this.#taken.set(userId, taken + 1);
    return true;
  }

  release(userId: string): void {
    const left = (this.#taken.get(userId) ?? 0) - 1;
    if (left > 0) this.#taken.set(userId, left);
    else this.#taken.delete(userId);
  }
}
