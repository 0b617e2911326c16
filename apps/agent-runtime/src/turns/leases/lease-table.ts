import type { HeldShard } from '../store/shard-store';
import type { RenewableLease } from './lease';

export interface LeaseTableDeps {
  readonly nowMs: () => number;
  /** Called once for each lease that ends without having been removed. */
  readonly onLost: (lease: RenewableLease) => void;
}

/** The leases of this replica. A timer ends those that pass their deadline, even if renewal hangs. */
export class LeaseTable {
  readonly #leases = new Map<number, RenewableLease>();
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly deps: LeaseTableDeps) {}

  get size(): number {
    return this.#leases.size;
  }

  all(): RenewableLease[] {
    return [...this.#leases.values()];
  }

  get(shard: number): RenewableLease | undefined {
    return this.#leases.get(shard);
  }

  has(lease: RenewableLease): boolean {
    return this.#leases.get(lease.shard) === lease;
  }

  add(lease: RenewableLease): void {
    const previous = this.#leases.get(lease.shard);
    if (previous) this.#lose(previous);
    this.#leases.set(lease.shard, lease);
    this.#setTimer();
  }

  /** Ends the lease; returns false if it was no longer in the table. */
  remove(lease: RenewableLease): boolean {
    if (!this.has(lease)) return false;
    lease.end();
    this.#leases.delete(lease.shard);
    this.#setTimer();
    return true;
  }

  /** Extends the leases that the database has confirmed; all others are lost. */
  confirm(held: readonly HeldShard[], deadlineMs: number): void {
    const fences = new Map(held.map(({ shard, fence }) => [shard, fence]));
    for (const lease of this.all()) {
      const isConfirmed = fences.get(lease.shard) === lease.fence && lease.extend(deadlineMs);
      if (!isConfirmed) this.#lose(lease);
    }
    this.#setTimer();
  }

  loseExpired(): void {
    for (const lease of this.all()) if (!lease.isValid()) this.#lose(lease);
    this.#setTimer();
  }

  #lose(lease: RenewableLease): void {
    if (this.remove(lease)) this.deps.onLost(lease);
  }

  #setTimer(): void {
    clearTimeout(this.#timer);
    if (this.size === 0) return;
    const firstMs = Math.min(...this.all().map(({ deadlineMs }) => deadlineMs));
    // Timers may fire a little early.
    const waitMs = Math.max(1, Math.ceil(firstMs - this.deps.nowMs()));
    this.#timer = setTimeout(() => this.loseExpired(), waitMs);
  }
}
