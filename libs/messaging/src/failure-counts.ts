/** How a message has fared in this process. */
export interface Failures {
  readonly all: number;
  /** Those that may be the message's own fault. */
  readonly faults: number;
}

const none: Failures = { all: 0, faults: 0 };
const maxRemembered = 10_000;

/** Counts failures per message. Forgets the longest known when there are too many to remember. */
export class FailureCounts {
  readonly #counts = new Map<string, Failures>();

  /** Returns how many there are now. */
  add(messageId: string, isFault: boolean): Failures {
    const { all, faults } = this.#counts.get(messageId) ?? none;
    const counted = { all: all + 1, faults: faults + (isFault ? 1 : 0) };
    this.#counts.set(messageId, counted);
    if (this.#counts.size > maxRemembered) this.#forgetOldest();
    return counted;
  }

  forget(messageId: string): void {
    this.#counts.delete(messageId);
  }

  #forgetOldest(): void {
    for (const oldest of this.#counts.keys()) {
      this.#counts.delete(oldest);
      return;
    }
  }
}
