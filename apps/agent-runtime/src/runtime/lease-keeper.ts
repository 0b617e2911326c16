import { Alarm } from '@daycare/messaging';
import type { Logger } from '@daycare/rpc';
import { decideMove, fairShare } from '../domain/fair-share';
import type { ShardStore } from '../store/shard-store';
import { KeptLease, type Lease } from './lease';
import type { LeaseTable } from './lease-table';
import { ServedShards, type LeaseEvents, type LeaseObserver } from './served-shards';

/** How replicas tell each other that shards became free. May be lost: it only saves time. */
export interface ReleaseHint {
  announceRelease(): void;
  /** Calls back on each release by anybody; the answer ends that. */
  onRelease(callback: () => void): () => void;
}

export interface LeaseKeeperParts extends LeaseEvents {
  readonly store: ShardStore;
  /** Of this process only, and of no other before it. */
  readonly replicaId: string;
  readonly shardCount: number;
  readonly ttlMs?: number;
  readonly renewEveryMs?: number;
  /** How long `onReleasing` may take; then the shard is released all the same. */
  readonly releaseTimeoutMs?: number;
  readonly log: Logger;
  readonly hint: ReleaseHint;
  readonly observer?: LeaseObserver;
  /** Must be monotonic. */
  readonly nowMs?: () => number;
}

/** A lease ends here before it ends in the database, by this part of its time. */
const safetyMargin = 0.1;

/**
 * Holds this replica's fair share of the shards. One loop does all the talking to the database:
 * what it finds there in this replica's name and the replica does not serve, it releases.
 */
export class LeaseKeeper {
  readonly #parts: LeaseKeeperParts;
  readonly #ttlMs: number;
  readonly #nowMs: () => number;
  readonly #served: ServedShards;
  readonly #table: LeaseTable;
  readonly #alarm = new Alarm();
  #loop: Promise<void> | undefined;
  #forgetHint: (() => void) | undefined;
  #isStopping = false;
  #isAnswered = true;

  constructor(parts: LeaseKeeperParts) {
    this.#parts = parts;
    this.#ttlMs = parts.ttlMs ?? 3_000;
    this.#nowMs = parts.nowMs ?? (() => performance.now());
    this.#served = new ServedShards({
      ...parts,
      observer: parts.observer ?? {},
      nowMs: this.#nowMs,
      releaseTimeoutMs: parts.releaseTimeoutMs ?? 5_000,
      avoidForMs: this.#ttlMs,
      onEnded: () => this.#alarm.ring(),
    });
    this.#table = this.#served.table;
  }

  /** To be called once, after the store has ensured the shards. */
  start(): void {
    this.#forgetHint = this.#parts.hint.onRelease(() => this.#alarm.ring());
    this.#loop = this.#run();
  }

  /** Hands everything over; resolves when other replicas may take it. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#forgetHint?.();
    for (const lease of this.#table.all()) this.#served.handBack(lease);
    this.#alarm.ring();
    await this.#loop;
  }

  /** The leases on shards that are ready and valid at this moment. */
  held(): readonly Lease[] {
    return this.#table.all().filter((lease) => lease.isGained && lease.isValid());
  }

  async #run(): Promise<void> {
    while (!this.#isStopping || this.#table.size > 0) {
      await this.#round();
      await this.#alarm.sleep(this.#parts.renewEveryMs ?? 1_000);
    }
    await this.#round();
  }

  async #round(): Promise<void> {
    try {
      // First what is held: everything else can wait when the database is slow.
      await this.#renew();
      const replicas = await this.#showPresence();
      if (!this.#isStopping) await this.#keepShare(replicas);
      this.#noteAnswer();
    } catch (error) {
      this.#noteSilence(error);
    }
  }

  /** One who is leaving does not count, so that the others take what it releases. */
  async #showPresence(): Promise<number> {
    const { store, replicaId } = this.#parts;
    if (!this.#isStopping) return store.announce(replicaId, this.#ttlMs);
    await store.withdraw(replicaId);
    return 0;
  }

  async #renew(): Promise<void> {
    const { store, replicaId, hint } = this.#parts;
    this.#table.loseExpired();
    const deadlineMs = this.#nextDeadlineMs();
    const mine = await store.renew(replicaId, this.#ttlMs);
    this.#table.confirm(mine, deadlineMs);
    const unserved = mine.filter(({ shard }) => !this.#table.get(shard));
    if (unserved.length === 0) return;
    await store.release(replicaId, unserved);
    hint.announceRelease();
  }

  async #keepShare(replicas: number): Promise<void> {
    const kept = this.#table.all().filter(({ isReleasing }) => !isReleasing);
    const share = fairShare(this.#parts.shardCount, replicas);
    const { acquire, giveBack } = decideMove(kept.length, share);
    for (const lease of kept.slice(kept.length - giveBack)) this.#served.handBack(lease);
    if (acquire > 0) await this.#acquire(acquire);
  }

  async #acquire(limit: number): Promise<void> {
    const { store, replicaId } = this.#parts;
    const deadlineMs = this.#nextDeadlineMs();
    const avoided = this.#served.listAvoided();
    const taken = await store.acquire(replicaId, limit, this.#ttlMs, avoided);
    for (const held of taken) {
      const lease = new KeptLease(held, deadlineMs, this.#nowMs);
      // What came too late is not served, so the next round releases it.
      if (lease.isValid() && !this.#isStopping) this.#served.serve(lease);
    }
  }

  /** To be taken before the request is sent: the database counts from when it arrives. */
  #nextDeadlineMs(): number {
    return this.#nowMs() + this.#ttlMs * (1 - safetyMargin);
  }

  #noteAnswer(): void {
    if (!this.#isAnswered) this.#parts.log.info({}, 'can renew leases again');
    this.#isAnswered = true;
  }

  #noteSilence(error: unknown): void {
    if (this.#isAnswered) this.#parts.log.warn({ err: error }, 'cannot renew leases; trying on');
    this.#isAnswered = false;
  }
}
