import { Wakeup } from '@daycare/async';
import type { Logger } from '@daycare/rpc';
import { adjustShare, chooseReleases, fairShare } from '../domain/shards/fair-share';
import type { ShardStore } from '../store/shard-store';
import { RenewableLease, type Lease } from './lease';
import type { LeaseTable } from './lease-table';
import { ServedShards, type LeaseEvents, type LeaseObserver } from './served-shards';

/** Notifies other replicas of released shards. A lost hint only delays the takeover of the shards. */
export interface ReleaseHint {
  announceRelease(): void;
  /** Calls back on each release by any replica; returns a function that unsubscribes. */
  onRelease(callback: () => void): () => void;
}

export interface LeaseKeeperDeps extends LeaseEvents {
  readonly store: ShardStore;
  /** Unique to this process and never reused. */
  readonly replicaId: string;
  readonly shardCount: number;
  readonly ttlMs?: number;
  /** How often leases are renewed; after a failure, renewal is attempted four times as often. */
  readonly renewEveryMs?: number;
  /** How long `onReleasing` may take when the replica stops; after that the shard is released anyway. */
  readonly releaseTimeoutMs?: number;
  /** How long `onReleasing` may take when shards are redistributed; after that the shard is released anyway. */
  readonly drainTimeoutMs?: number;
  /**
   * How long a shard whose turns did not end is kept, unless it becomes idle, before the next attempt to hand it over.
   */
  readonly keepForMs?: number;
  /** Returns how many turns are running in a shard; shards without any are handed over first. */
  readonly countTurns?: (lease: Lease) => number;
  /** How long shards with running turns are kept in case others become idle. */
  readonly idleWaitMs?: number;
  readonly log: Logger;
  readonly hint: ReleaseHint;
  readonly observer?: LeaseObserver;
  /** Must be monotonic. */
  readonly nowMs?: () => number;
}

/** Leases end earlier here than in the database, by this fraction of their duration. */
const safetyMargin = 0.1;
const defaultIdleWaitMs = 5_000;
const defaultKeepForMs = 5 * 60_000;
/**
 * How many busy shards are handed over at the same time. Few, because such a shard starts no new turns until those
 * under way have ended.
 */
const maxDraining = 4;
const retriesPerRenewal = 4;
/** Added to the expiry of another replica's lease, so that the lease has ended when it is checked. */
const afterExpiryMs = 10;

/**
 * Holds this replica's fair share of the shards. One loop makes all calls to the database. Shards that this
 * replica holds according to the database, but does not serve, are released.
 */
export class LeaseKeeper {
  readonly #deps: LeaseKeeperDeps;
  readonly #ttlMs: number;
  readonly #nowMs: () => number;
  readonly #served: ServedShards;
  readonly #table: LeaseTable;
  readonly #wakeup = new Wakeup();
  #loop: Promise<void> | undefined;
  #unsubscribe: (() => void) | undefined;
  #isStopping = false;
  #isRenewing = true;
  /** Whether an operator has drained this replica, so that it hands over all its shards. */
  #isDrained = false;
  #excessSinceMs: number | undefined;
  /** When the next lease of another replica ends, unless it is renewed. */
  #nextExpiryMs = Infinity;

  constructor(deps: LeaseKeeperDeps) {
    this.#deps = deps;
    this.#ttlMs = deps.ttlMs ?? 3_000;
    this.#nowMs = deps.nowMs ?? (() => performance.now());
    this.#served = new ServedShards({
      onGained: deps.onGained,
      onLost: deps.onLost,
      onReleasing: deps.onReleasing,
      observer: deps.observer ?? {},
      log: deps.log,
      nowMs: this.#nowMs,
      releaseTimeoutMs: deps.releaseTimeoutMs ?? 5_000,
      drainTimeoutMs: deps.drainTimeoutMs ?? 5_000,
      keepForMs: deps.keepForMs ?? defaultKeepForMs,
      avoidForMs: this.#ttlMs,
      onEnded: () => this.#wakeup.signal(),
    });
    this.#table = this.#served.table;
  }

  /** Call it once, after the store has ensured the shards. */
  start(): void {
    this.#unsubscribe = this.#deps.hint.onRelease(() => this.#wakeup.signal());
    this.#loop = this.#run();
  }

  /** Releases all shards, idle ones immediately; resolves when other replicas may take them. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#unsubscribe?.();
    this.#served.releaseAll();
    this.#wakeup.signal();
    await this.#loop;
  }

  /** Returns the leases that are currently valid and whose shards are being served. */
  held(): readonly Lease[] {
    return this.#table.all().filter((lease) => lease.isGained && lease.isValid());
  }

  async #run(): Promise<void> {
    while (!this.#isStopping || this.#table.size > 0) {
      await this.#attempt(() => this.#round());
      await this.#wakeup.sleep(this.#restMs());
    }
    await this.#attempt(() => this.#withdraw());
  }

  /** The time until the next renewal is due or the next lease of another replica may expire. */
  #restMs(): number {
    const { renewEveryMs = 1_000 } = this.#deps;
    if (!this.#isRenewing) return renewEveryMs / retriesPerRenewal;
    const untilExpiryMs = this.#nextExpiryMs + afterExpiryMs - this.#nowMs();
    return Math.min(renewEveryMs, Math.max(afterExpiryMs, untilExpiryMs));
  }

  async #round(): Promise<void> {
    // Renewal first: everything else can wait when the database is slow.
    const replicas = await this.#renew();
    if (!this.#isStopping) await this.#rebalance(replicas);
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
      this.#noteSuccess();
    } catch (error) {
      this.#noteFailure(error);
    }
  }

  async #withdraw(): Promise<void> {
    const { store, replicaId, hint } = this.#deps;
    await store.withdraw(replicaId);
    hint.announceRelease();
  }

  /** Renews the leases; returns how many replicas share the shards. Those that are leaving do not count. */
  async #renew(): Promise<number> {
    const { store, replicaId, hint } = this.#deps;
    this.#table.loseExpired();
    const deadlineMs = this.#nextDeadlineMs();
    const isDrained = this.#isDrained;
    const isLeaving = this.#isStopping || isDrained;
    const renewal = await store.renew(replicaId, this.#ttlMs, { isLeaving, isDrained });
    const { held, replicas, nextExpiryMs = Infinity } = renewal;
    this.#noteDrained(renewal.isDrained);
    this.#nextExpiryMs = this.#nowMs() + nextExpiryMs;
    this.#table.confirm(held, deadlineMs);
    const unserved = held.filter(({ shard }) => !this.#table.get(shard));
    if (unserved.length > 0) {
      await store.release(replicaId, unserved);
      hint.announceRelease();
    }
    return replicas;
  }

  async #rebalance(replicas: number): Promise<void> {
    const held = this.#table.all().filter(({ isReleasing }) => !isReleasing);
    const share = this.#isDrained ? 0 : fairShare(this.#deps.shardCount, replicas);
    const { acquire, release } = adjustShare(held.length, share);
    this.#releaseExcess(held, release);
    if (acquire > 0) await this.#acquire(acquire);
  }

  /**
   * Releases idle shards immediately, and busy ones after a while and a few at a time; a drained replica
   * releases all of them immediately.
   */
  #releaseExcess(held: readonly RenewableLease[], excess: number): void {
    const { countTurns = () => 0, idleWaitMs = defaultIdleWaitMs } = this.#deps;
    const nowMs = this.#nowMs();
    this.#excessSinceMs = excess > 0 ? (this.#excessSinceMs ?? nowMs) : undefined;
    const isWaitingForIdle = nowMs - (this.#excessSinceMs ?? nowMs) < idleWaitMs;
    const draining = this.#table.all().filter(({ isReleasing }) => isReleasing).length;
    const maxBusy = this.#isDrained
      ? Infinity
      : isWaitingForIdle
        ? 0
        : Math.max(0, maxDraining - draining);
    const shards = held.map((lease) => ({
      lease,
      turns: countTurns(lease),
      wasTriedRecently: !this.#isDrained && nowMs < lease.keptUntilMs,
    }));
    for (const { lease } of chooseReleases(shards, excess, maxBusy)) this.#served.release(lease);
  }

  async #acquire(limit: number): Promise<void> {
    const { store, replicaId } = this.#deps;
    const deadlineMs = this.#nextDeadlineMs();
    const avoided = this.#served.listAvoided();
    const taken = await store.acquire(replicaId, limit, this.#ttlMs, avoided);
    for (const held of taken) {
      const lease = new RenewableLease(held, deadlineMs, this.#nowMs);
      // A lease that arrived too late is not served, so the next round releases it.
      if (lease.isValid() && !this.#isStopping) this.#served.serve(lease);
    }
  }

  /**
   * Returns the deadline of the leases that the next request renews or acquires. Must be called before the request is
   * sent, because the database counts from the request's arrival.
   */
  #nextDeadlineMs(): number {
    return this.#nowMs() + this.#ttlMs * (1 - safetyMargin);
  }

  #noteDrained(isDrained: boolean): void {
    if (isDrained === this.#isDrained) return;
    this.#isDrained = isDrained;
    const next = isDrained
      ? 'draining this replica; handing over all shards'
      : 'resuming this replica; taking its share of the shards';
    this.#deps.log.info({}, next);
  }

  #noteSuccess(): void {
    if (!this.#isRenewing) this.#deps.log.info({}, 'lease renewal recovered');
    this.#isRenewing = true;
  }

  #noteFailure(error: unknown): void {
    if (this.#isRenewing) this.#deps.log.warn({ err: error }, 'lease renewal failed; retrying');
    this.#isRenewing = false;
  }
}
