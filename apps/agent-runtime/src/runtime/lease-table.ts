import type { HeldShard } from '../store/shard-store';
import type { KeptLease } from './lease';

export interface LeaseTableParts {
  readonly nowMs: () => number;
  /** Told once of each lease that ends without having been removed. */
  readonly onLost: (lease: KeptLease) => void;
}

/** The leases of this replica. A timer ends those that pass their deadline, whoever else is stuck. */
export class LeaseTable {
  readonly #leases = new Map<number, KeptLease>();
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly parts: LeaseTableParts) {}

  get size(): number {
    return this.#leases.size;
  }

  all(): KeptLease[] {
    return [...this.#leases.values()];
  }

  get(shard: number): KeptLease | undefined {
    return this.#leases.get(shard);
  }

  has(lease: KeptLease): boolean {
    return this.#leases.get(lease.shard) === lease;
  }

  add(lease: KeptLease): void {
    const previous = this.#leases.get(lease.shard);
    if (previous) this.#lose(previous);
    this.#leases.set(lease.shard, lease);
    this.#setTimer();
  }

  /** Ends the lease; false when it was lost before. */
  remove(lease: KeptLease): boolean {
    if (!this.has(lease)) return false;
    lease.end();
    this.#leases.delete(lease.shard);
    this.#setTimer();
    return true;
  }

  /** Takes over what the database has confirmed; all else is lost. */
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

  #lose(lease: KeptLease): void {
    if (this.remove(lease)) this.parts.onLost(lease);
  }

  #setTimer(): void {
    clearTimeout(this.#timer);
    if (this.size === 0) return;
    const firstMs = Math.min(...this.all().map(({ deadlineMs }) => deadlineMs));
    // Timers may fire a little early.
    const waitMs = Math.max(1, Math.ceil(firstMs - this.parts.nowMs()));
    this.#timer = setTimeout(() => this.loseExpired(), waitMs);
  }
}
