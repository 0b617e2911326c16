import { connectMongo, type MongoConnection } from '@daycare/mongo';
import { eventually, testDatabase, testMongoUrl, uniqueName } from '@daycare/testing';
import type { Db } from 'mongodb';
import type { Lease } from '../turns/leases/lease';
import { LeaseKeeper, type LeaseKeeperDeps } from '../turns/leases/lease-keeper';
import { ShardStore } from '../turns/store/shard-store';

/** Long enough for a busy machine. */
export const testTtlMs = 2_000;

export interface KeeperOptions extends Partial<Omit<LeaseKeeperDeps, 'store' | 'hint'>> {
  readonly makeStore?: (db: Db) => ShardStore;
}

/** A replica's lease handling, with its own connection and a record of its events. */
export interface TestReplica {
  readonly keeper: LeaseKeeper;
  readonly events: string[];
  readonly warnings: string[];
  shards(): number[];
  /** Disconnects the replica from the database without a clean shutdown. */
  kill(): Promise<void>;
}

export interface StoredLeases {
  readonly fences: readonly number[];
  readonly replicas: readonly {
    readonly id: string;
    readonly expiresAt: Date;
    readonly shards: readonly number[];
  }[];
}

/** Replicas that share a database and receive each other's hints. */
export class TestKeepers {
  /** Every lease granted so far, in order. */
  readonly leases: Lease[] = [];
  /** Shards seen with two valid leases, with the fences of both. */
  readonly doublyHeld: string[] = [];
  readonly #replicas: TestReplica[] = [];
  readonly #listeners = new Set<() => void>();
  readonly #sampling: NodeJS.Timeout;

  private constructor(
    readonly mongo: MongoConnection,
    readonly shardCount: number,
  ) {
    this.#sampling = setInterval(() => this.#sample(), 1);
  }

  static async create(shardCount: number): Promise<TestKeepers> {
    const mongo = await testDatabase('leases');
    await new ShardStore(mongo.db).ensure(shardCount);
    return new TestKeepers(mongo, shardCount);
  }

  async start(options: KeeperOptions = {}): Promise<TestReplica> {
    const { onGained, makeStore = (db) => new ShardStore(db), ...others } = options;
    const database = this.mongo.db.databaseName;
    const mongo = await connectMongo({ url: testMongoUrl(), database, appName: 'lease-test' });
    const [events, warnings]: [string[], string[]] = [[], []];
    const warn = (_: object, message: string): void => void warnings.push(message);
    const keeper = new LeaseKeeper({
      store: makeStore(mongo.db),
      replicaId: uniqueName('replica'),
      shardCount: this.shardCount,
      ttlMs: testTtlMs,
      renewEveryMs: 100,
      log: { debug: () => undefined, info: () => undefined, warn, error: warn },
      hint: this.#hint(),
      onGained: async (lease) => {
        this.leases.push(lease);
        this.#sample();
        await onGained?.(lease);
        events.push(`gained ${lease.shard}`);
      },
      onLost: ({ shard }) => void events.push(`lost ${shard}`),
      onReleasing: async ({ shard }) => void events.push(`releasing ${shard}`),
      ...others,
    });
    keeper.start();
    const shards = () => keeper.held().map(({ shard }) => shard);
    const replica = { keeper, events, warnings, shards, kill: () => mongo.close() };
    this.#replicas.push(replica);
    return replica;
  }

  /** Reports whether these replicas together serve every shard. */
  areAllServedBy(replicas: readonly TestReplica[]): boolean {
    const served = new Set(replicas.flatMap((replica) => replica.shards()));
    return served.size === this.shardCount;
  }

  /** Waits until leases have been renewed for this long. */
  async waitForRenewals(durationMs: number): Promise<void> {
    const newest = async () => {
      const { replicas } = await this.readLeases();
      return Math.max(0, ...replicas.map(({ expiresAt }) => expiresAt.getTime()));
    };
    const initial = await newest();
    await eventually(async () => (await newest()) > initial + durationMs);
  }

  /** Reads the stored leases. */
  async readLeases(): Promise<StoredLeases> {
    const leases = this.mongo.db.collection<StoredLeases>('leases');
    return (await leases.findOne({})) ?? { fences: [], replicas: [] };
  }

  async close(): Promise<void> {
    clearInterval(this.#sampling);
    await Promise.all(this.#replicas.map(({ keeper }) => keeper.stop()));
    await Promise.all(this.#replicas.map((replica) => replica.kill()));
    await this.mongo.close();
  }

  #hint(): LeaseKeeperDeps['hint'] {
    return {
      announceRelease: () => this.#listeners.forEach((listener) => setImmediate(listener)),
      onRelease: (listener) => {
        this.#listeners.add(listener);
        return () => this.#listeners.delete(listener);
      },
    };
  }

  #sample(): void {
    const holders = new Map<number, Lease>();
    for (const lease of this.leases.filter((each) => each.isValid())) {
      const earlier = holders.get(lease.shard);
      if (earlier) this.doublyHeld.push(`${lease.shard}: ${earlier.fence} and ${lease.fence}`);
      holders.set(lease.shard, lease);
    }
  }
}
