/** One slot of a user; not taken until `tryTake` succeeds. */
export interface UserSlot {
  /** Takes the slot, or returns false when none is free. Further calls change nothing. */
  readonly tryTake: () => boolean;
  /** Frees the slot if it was taken. */
  readonly release: () => void;
}

/** A limited number of slots for each user; taking one never waits. */
export class UserSlots {
  readonly #taken = new Map<string, number>();

  constructor(private readonly perUser: number) {}

  slotFor(userId: string): UserSlot {
    let isTaken = false;
    return {
      tryTake: () => (isTaken ||= this.#tryTake(userId)),
      release: () => {
        if (isTaken) this.#release(userId);
        isTaken = false;
      },
    };
  }

  #tryTake(userId: string): boolean {
    const taken = this.#taken.get(userId) ?? 0;
    if (taken >= this.perUser) return false;
    this.#taken.set(userId, taken + 1);
    return true;
  }

  #release(userId: string): void {
    const remaining = (this.#taken.get(userId) ?? 0) - 1;
    if (remaining > 0) this.#taken.set(userId, remaining);
    else this.#taken.delete(userId);
  }
}
