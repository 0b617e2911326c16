/** The writes that a read is certain to include. */
export interface Horizon {
  /** The read includes everything up to this time on the database's clock. */
  readonly since: bigint;
  /** The read includes everything that was stored before this time on the reader's clock. */
  readonly asOfMs: number;
}

export interface CompletedRead {
  readonly startedAtMs: number;
  /** When the read ended, a majority had stored everything up to this time on the database's clock. */
  readonly committed: bigint;
  /** At least the time, on the database's clock, of every write made before the read began; 0 when unknown. */
  readonly clock: bigint;
}

/**
 * Tracks how up to date the results of reads are. A read returns the state stored by a majority, which falls behind
 * while other members of the database are not responding, so a read's start time does not show which writes it
 * includes. Instead, the start time and the database's clock are recorded now and then: once a later read includes
 * everything up to the recorded clock time, it includes every write stored before the recorded start.
 */
export class FeedHorizon {
  #since = 0n;
  #asOfMs = -Infinity;
  #recording: { readonly atMs: number; readonly clock: bigint } | undefined;

  get current(): Horizon {
    return { since: this.#since, asOfMs: this.#asOfMs };
  }

  advance({ startedAtMs, committed, clock }: CompletedRead): void {
    if (committed > this.#since) this.#since = committed;
    if (this.#recording && this.#recording.clock <= this.#since) {
      this.#asOfMs = Math.max(this.#asOfMs, this.#recording.atMs);
      this.#recording = undefined;
    }
    if (clock > 0n) this.#recording ??= { atMs: startedAtMs, clock };
  }
}
