import type { Logger } from '@daycare/rpc';
import type { KeptLease, Lease } from './lease';
import { LeaseTable } from './lease-table';
import { limitTime } from './limit-time';

/** What the runtime does when leases come and go. */
export interface LeaseEvents {
  /** Gets the shard ready to be served. If it throws, the shard is released and tried again later. */
  readonly onGained: (lease: Lease) => Promise<void>;
  /** The lease is invalid. May come while `onGained` or `onReleasing` is under way. */
  readonly onLost: (lease: Lease) => void;
  /** Ends what is under way. The lease is renewed until this resolves or takes too long. */
  readonly onReleasing: (lease: Lease) => Promise<void>;
}

/** Told what happens, for metrics. */
export interface LeaseObserver {
  gained?(): void;
  lost?(): void;
  released?(): void;
}

export interface ServedShardsParts extends LeaseEvents {
  readonly log: Logger;
  readonly observer: LeaseObserver;
  readonly nowMs: () => number;
  readonly releaseTimeoutMs: number;
  /** How long a shard that could not be got ready is left alone. */
  readonly avoidForMs: number;
  /** A lease has ended here, and the database does not know yet. */
  readonly onEnded: () => void;
}

/** The shards this replica serves, from getting them ready to ending the work on them. */
export class ServedShards {
  readonly table: LeaseTable;
  readonly #parts: ServedShardsParts;
  readonly #avoidedUntilMs = new Map<number, number>();

  constructor(parts: ServedShardsParts) {
    this.#parts = parts;
    this.table = new LeaseTable({ nowMs: parts.nowMs, onLost: (lease) => this.#noteLost(lease) });
  }

  serve(lease: KeptLease): void {
    this.table.add(lease);
    lease.gaining = this.#gain(lease);
  }

  /** Lets the work on the shard end, and then the lease. */
  handBack(lease: KeptLease): void {
    if (lease.isReleasing) return;
    lease.isReleasing = true;
    void this.#release(lease);
  }

  /** Shards that could not be got ready a short while ago. */
  listAvoided(): number[] {
    const nowMs = this.#parts.nowMs();
    for (const [shard, untilMs] of this.#avoidedUntilMs) {
      if (untilMs <= nowMs) this.#avoidedUntilMs.delete(shard);
    }
    return [...this.#avoidedUntilMs.keys()];
  }

  async #gain(lease: KeptLease): Promise<void> {
    const { onGained, observer } = this.#parts;
    try {
      await onGained(lease);
      if (!this.table.has(lease)) return;
      lease.isGained = true;
      observer.gained?.();
    } catch (error) {
      this.#noteUnserved(lease, error);
    }
  }

  #noteUnserved(lease: KeptLease, error: unknown): void {
    const { log, nowMs, avoidForMs, onEnded } = this.#parts;
    if (!this.table.remove(lease)) return;
    log.error({ err: error, ...fieldsOf(lease) }, 'cannot serve a shard; trying again later');
    this.#avoidedUntilMs.set(lease.shard, nowMs() + avoidForMs);
    onEnded();
  }

  async #release(lease: KeptLease): Promise<void> {
    const { log, observer, releaseTimeoutMs, onEnded } = this.#parts;
    try {
      await limitTime(this.#endWork(lease), releaseTimeoutMs);
    } catch (error) {
      log.warn({ err: error, ...fieldsOf(lease) }, 'releasing a shard with work under way');
    }
    if (!this.table.remove(lease)) return;
    observer.released?.();
    onEnded();
  }

  async #endWork(lease: KeptLease): Promise<void> {
    await lease.gaining;
    if (this.table.has(lease)) await this.#parts.onReleasing(lease);
  }

  #noteLost(lease: KeptLease): void {
    const { log, observer, onLost, onEnded } = this.#parts;
    log.warn(fieldsOf(lease), 'lost a shard');
    observer.lost?.();
    try {
      onLost(lease);
    } catch (error) {
      log.error({ err: error, ...fieldsOf(lease) }, 'cannot end the work on a lost shard');
    }
    onEnded();
  }
}

function fieldsOf({ shard, fence }: Lease): object {
  return { shard, fence };
}
