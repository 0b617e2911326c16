/** The writes that a read is certain to include. */
export interface Horizon {
  /** It includes everything up to this time of the database's clock. */
  readonly since: bigint;
  /** It includes everything that was stored before this time of the reader's clock. */
  readonly asOfMs: number;
}

export interface EndedRead {
  readonly startedAtMs: number;
  /** When the read ended, a majority had stored everything up to this time of the database's clock. */
  readonly committed: bigint;
  /** The database's clock; 0 when unknown. */
  readonly clock: bigint;
}

/**
 * Tracks how current reads are. A read returns the state that a majority has stored, which falls behind while other
 * members of the database do not answer. So the time at which a read begins does not show which writes it includes.
 * Instead, the database's clock is recorded now and then: a read that includes everything up to a recorded time
 * includes all writes that were stored before the recording.
 */
export class FeedHorizon {
  #since = 0n;
  #asOfMs = -Infinity;
  #recording: { readonly atMs: number; readonly clock: bigint } | undefined;

  get current(): Horizon {
    return { since: this.#since, asOfMs: this.#asOfMs };
  }

  advance({ startedAtMs, committed, clock }: EndedRead): void {
    if (committed > this.#since) this.#since = committed;
    if (this.#recording && this.#recording.clock <= this.#since) {
      this.#asOfMs = Math.max(this.#asOfMs, this.#recording.atMs);
      this.#recording = undefined;
    }
    if (clock > 0n) this.#recording ??= { atMs: startedAtMs, clock };
  }
}
