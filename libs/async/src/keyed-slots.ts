/** One slot of a key; not taken until `tryTake` succeeds. */
export interface Slot {
  /** Takes the slot, or returns false when none is free. Once the slot is taken, further calls change nothing. */
  readonly tryTake: () => boolean;
  /** Frees the slot if it was taken. */
  readonly release: () => void;
}

/** A limited number of slots for each key. Unlike acquiring a `Semaphore`, taking a slot never waits. */
export class KeyedSlots {
  readonly #taken = new Map<string, number>();
  #size = 0;

  constructor(private readonly perKey: number) {}

  /** How many slots are taken, for all keys together. */
  get size(): number {
    return this.#size;
  }

  slotFor(key: string): Slot {
    let isTaken = false;
    return {
      tryTake: () => (isTaken ||= this.#tryTake(key)),
      release: () => {
        if (isTaken) this.#release(key);
        isTaken = false;
      },
    };
  }

  #tryTake(key: string): boolean {
    const taken = this.#taken.get(key) ?? 0;
    if (taken >= this.perKey) return false;
    this.#taken.set(key, taken + 1);
    this.#size += 1;
    return true;
  }

  #release(key: string): void {
    this.#size -= 1;
    const remaining = (this.#taken.get(key) ?? 0) - 1;
    if (remaining > 0) this.#taken.set(key, remaining);
    else this.#taken.delete(key);
  }
}
