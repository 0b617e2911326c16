/** A limited number of slots for each user; taking one never waits. */
export class UserSlots {
  readonly #taken = new Map<string, number>();

  constructor(private readonly perUser: number) {}

  /** Takes a slot, which the caller must release; returns false when none is free. */
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
