/** How far a read is certain to see. */
export interface Horizon {
  /** Everything up to this time of the database's clock. */
  readonly since: bigint;
  /** Everything that was stored before this time of the reader's clock. */
  readonly asOfMs: number;
}

export interface EndedRead {
  readonly startedAtMs: number;
  /** A majority had stored everything up to here; by the database's clock. */
  readonly committed: bigint;
  /** The database's clock; 0 when unknown. */
  readonly clock: bigint;
}

/**
 * How current reads are. They return what a majority has stored, which can fall behind for as long as other members of
 * the database do not answer. So the time at which a read begins says nothing about what it sees. Instead the database's
 * clock is noted now and then; a read that sees everything up to there sees what was stored before it was noted.
 */
export class FeedHorizon {
  #since = 0n;
  #asOfMs = -Infinity;
  #noted: { readonly atMs: number; readonly clock: bigint } | undefined;

  get current(): Horizon {
    return { since: this.#since, asOfMs: this.#asOfMs };
  }

  advance({ startedAtMs, committed, clock }: EndedRead): void {
    if (committed > this.#since) this.#since = committed;
    if (this.#noted && this.#noted.clock <= this.#since) {
      this.#asOfMs = Math.max(this.#asOfMs, this.#noted.atMs);
      this.#noted = undefined;
    }
    if (clock > 0n) this.#noted ??= { atMs: startedAtMs, clock };
  }
}
