import type { HeldShard } from '../store/shard-store';

/**
 * The right to serve a shard. Check `isValid` right before each write, and store the fence with what is
 * written. A lease that has become invalid stays invalid.
 */
export interface Lease extends HeldShard {
  isValid(): boolean;
}

/** A lease that its keeper can extend and end. The clock must be monotonic. */
export class RenewableLease implements Lease {
  readonly shard: number;
  readonly fence: number;
  /** Resolves when `onGained` has ended, successfully or not. */
  gaining: Promise<void> = Promise.resolve();
  isGained = false;
  isReleasing = false;
  /**
   * Until this time the shard is handed over only if it is idle (or the replica is drained or stops), because its
   * turns did not end at the last attempt.
   */
  keptUntilMs = 0;
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

  /** Extends a valid lease; returns whether it is valid afterwards. A lease past its deadline is not extended. */
  extend(deadlineMs: number): boolean {
    if (!this.isValid()) return false;
    this.#deadlineMs = deadlineMs;
    return this.isValid();
  }

  end(): void {
    this.#hasEnded = true;
  }
}
