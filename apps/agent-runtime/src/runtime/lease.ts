import type { HeldShard } from '../store/shard-store';

/**
 * The right to serve a shard. Ask `isValid` right before each write, and let the write carry the
 * fence: a lease that was once invalid stays so.
 */
export interface Lease extends HeldShard {
  isValid(): boolean;
}

/** The keeper's side of a lease. Its clock must be monotonic. */
export class KeptLease implements Lease {
  readonly shard: number;
  readonly fence: number;
  /** Resolves, whatever came of it, when the shard is served or will not be. */
  gaining: Promise<void> = Promise.resolve();
  isGained = false;
  isReleasing = false;
  #deadlineMs: number;
  #hasEnded = false;

  constructor(
    { shard, fence }: HeldShard,
    deadlineMs: number,
    private readonly nowMs: () => number,
  ) {
    this.shard = shard;
    this.fence = fence;
    this.#deadlineMs = deadlineMs;
  }

  get deadlineMs(): number {
    return this.#deadlineMs;
  }

  isValid(): boolean {
    if (this.nowMs() >= this.#deadlineMs) this.#hasEnded = true;
    return !this.#hasEnded;
  }

  /** A lease that is past its deadline is not revived; the answer says whether it is valid. */
  extend(deadlineMs: number): boolean {
    if (!this.isValid()) return false;
    this.#deadlineMs = deadlineMs;
    return this.isValid();
  }

  end(): void {
    this.#hasEnded = true;
  }
}
