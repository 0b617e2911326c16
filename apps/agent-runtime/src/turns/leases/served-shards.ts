import type { Logger } from '@daycare/rpc';
import type { RenewableLease, Lease } from './lease';
import { LeaseTable } from './lease-table';
import { withTimeout } from '@daycare/async';

/** The runtime's callbacks for gained, lost and released leases. */
export interface LeaseEvents {
  /** Prepares the shard. If it throws, the shard is released and retried later. */
  readonly onGained: (lease: Lease) => Promise<void>;
  /** Called when a lease has become invalid; `onGained` or `onReleasing` may still be running. */
  readonly onLost: (lease: Lease) => void;
  /**
   * Ends the work under way. The lease is renewed until this resolves or times out. If it resolves with false,
   * the work has not ended, and the shard stays here unless the replica is stopping.
   */
  readonly onReleasing: (lease: Lease, isStopping: boolean) => Promise<unknown>;
}

/** Counts gained, lost and released leases for metrics. */
export interface LeaseObserver {
  gained?(): void;
  lost?(): void;
  released?(): void;
}

export interface ServedShardsDeps extends LeaseEvents {
  readonly log: Logger;
  readonly observer: LeaseObserver;
  readonly nowMs: () => number;
  /** How long `onReleasing` may take when the replica stops; after that the shard is released anyway. */
  readonly releaseTimeoutMs: number;
  /** How long `onReleasing` may take when shards are redistributed; after that the shard is released anyway. */
  readonly drainTimeoutMs: number;
  /**
   * How long a shard whose turns did not end is kept, unless it becomes idle, before the next attempt to hand it over.
   */
  readonly keepForMs: number;
  /** How long a shard is avoided after it could not be served. */
  readonly avoidForMs: number;
  /** Called when a lease has ended here but may still be held in the database. */
  readonly onEnded: () => void;
}

/** The shards this replica serves, from preparing them to ending the work on them. */
export class ServedShards {
  readonly table: LeaseTable;
  readonly #deps: ServedShardsDeps;
  readonly #avoidedUntilMs = new Map<number, number>();
  #isStopping = false;

  constructor(deps: ServedShardsDeps) {
    this.#deps = deps;
    this.table = new LeaseTable({ nowMs: deps.nowMs, onLost: (lease) => this.#onLost(lease) });
  }

  serve(lease: RenewableLease): void {
    this.table.add(lease);
    lease.gaining = this.#gain(lease);
  }

  /** Ends the work on the shard, then the lease; keeps the shard if `onReleasing` resolves with false. */
  release(lease: RenewableLease): void {
    if (lease.isReleasing) return;
    lease.isReleasing = true;
    void this.#endLease(lease, false);
  }

  /** Ends the work on all shards, then their leases. */
  releaseAll(): void {
    this.#isStopping = true;
    for (const lease of this.table.all()) {
      lease.isReleasing = true;
      void this.#endLease(lease, true);
    }
  }

  /** Lists the shards that could not be served recently. */
  listAvoided(): number[] {
    const nowMs = this.#deps.nowMs();
    for (const [shard, untilMs] of this.#avoidedUntilMs) {
      if (untilMs <= nowMs) this.#avoidedUntilMs.delete(shard);
    }
    return [...this.#avoidedUntilMs.keys()];
  }

  async #gain(lease: RenewableLease): Promise<void> {
    const { onGained, observer } = this.#deps;
    try {
      await onGained(lease);
      if (!this.table.has(lease)) return;
      lease.isGained = true;
      observer.gained?.();
    } catch (error) {
      this.#onServeFailed(lease, error);
    }
  }

  #onServeFailed(lease: RenewableLease, error: unknown): void {
    const { log, nowMs, avoidForMs, onEnded } = this.#deps;
    if (!this.table.remove(lease)) return;
    log.error({ err: error, ...fieldsOf(lease) }, 'serving a shard failed; retrying later');
    this.#avoidedUntilMs.set(lease.shard, nowMs() + avoidForMs);
    onEnded();
  }

  async #endLease(lease: RenewableLease, isStopping: boolean): Promise<void> {
    const { log, observer, releaseTimeoutMs, drainTimeoutMs, onEnded } = this.#deps;
    try {
      const timeoutMs = isStopping ? releaseTimeoutMs : drainTimeoutMs;
      if (!(await withTimeout(this.#endWork(lease, isStopping), timeoutMs)))
        return this.#keep(lease);
    } catch (error) {
      log.warn(
        { err: error, ...fieldsOf(lease) },
        'work on a shard did not stop in time; releasing it anyway',
      );
    }
    if (!this.table.remove(lease)) return;
    observer.released?.();
    onEnded();
  }

  /** Ends the work on a shard; returns false if it has not ended and the shard has to be kept. */
  async #endWork(lease: RenewableLease, isStopping: boolean): Promise<boolean> {
    await lease.gaining;
    if (!this.table.has(lease)) return true;
    return (await this.#deps.onReleasing(lease, isStopping)) !== false || isStopping;
  }

  /** Keeps the shard for a while. If the replica has begun to stop in the meantime, `releaseAll` ends the lease. */
  #keep(lease: RenewableLease): void {
    lease.keptUntilMs = this.#deps.nowMs() + this.#deps.keepForMs;
    lease.isReleasing = this.#isStopping;
  }

  #onLost(lease: RenewableLease): void {
    const { log, observer, onLost, onEnded } = this.#deps;
    log.warn(fieldsOf(lease), 'shard lease lost; aborting the work on the shard');
    observer.lost?.();
    try {
      onLost(lease);
    } catch (error) {
      log.error({ err: error, ...fieldsOf(lease) }, 'cannot abort the work on a lost shard');
    }
    onEnded();
  }
}

function fieldsOf({ shard, fence }: Lease): object {
  return { shard, fence };
}
