import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@daycare/testing';
import { ShardStore } from '../store/shard-store';
import { TestKeepers, testTtlMs, type TestReplica } from '../../test-support/test-keepers';
import type { Lease } from './lease';

const shardCount = 16;
const slowRenewal = { ttlMs: 60_000, renewEveryMs: 30_000 };
type Acquisition = ReturnType<ShardStore['acquire']>;

let keepers: TestKeepers;

beforeEach(async () => {
  keepers = await TestKeepers.create(shardCount);
});
afterEach(async () => {
  await keepers.close();
  expect(keepers.doublyHeld).toEqual([]);
  expectGrowingFences(keepers.leases);
});

function expectGrowingFences(leases: readonly Lease[]): void {
  const highest = new Map<number, number>();
  for (const { shard, fence } of leases) {
    expect(fence).toBeGreaterThan(highest.get(shard) ?? 0);
    highest.set(shard, fence);
  }
}

const waitUntilHolding = (replica: TestReplica, expected: number, timeoutMs = 10_000) =>
  eventually(() => replica.shards().length === expected, { timeoutMs, intervalMs: 5 });
const leaseOf = ({ keeper }: TestReplica, shard: number): Lease | undefined =>
  keeper.held().find((lease) => lease.shard === shard);
const countEvents = (replica: TestReplica, kind: string) =>
  replica.events.filter((event) => event.startsWith(kind)).length;

describe('the share of shards', () => {
  it('a lone replica holds all shards', async () => {
    const replica = await keepers.start();
    await waitUntilHolding(replica, shardCount);
    expect(countEvents(replica, 'gained')).toBe(shardCount);
  });

  it('half of the shards move to a second replica after the work on them has ended', async () => {
    const first = await keepers.start();
    await waitUntilHolding(first, shardCount);
    const second = await keepers.start();
    await waitUntilHolding(second, shardCount / 2);
    expect(first.shards()).toHaveLength(shardCount / 2);
    expect(keepers.areAllServedBy([first, second])).toBe(true);
    expect(countEvents(first, 'releasing')).toBe(shardCount / 2);
    expect(countEvents(first, 'lost')).toBe(0);
  });

  it('three replicas share the shards evenly', async () => {
    const replicas = await Promise.all([keepers.start(), keepers.start(), keepers.start()]);
    await eventually(
      () =>
        keepers.areAllServedBy(replicas) &&
        replicas.every((replica) => replica.shards().length <= Math.ceil(shardCount / 3)),
    );
  });

  it('a shard’s lease is renewed until the work on the shard has ended', async () => {
    let endWork: () => void = () => undefined;
    const work = new Promise<void>((resolve) => (endWork = resolve));
    const releasing = new Set<Lease>();
    const onReleasing = (lease: Lease) => (releasing.add(lease), work);
    const first = await keepers.start({ onReleasing });
    await waitUntilHolding(first, shardCount);
    const second = await keepers.start();
    await eventually(() => releasing.size === shardCount / 2);
    await keepers.waitForRenewals(1.5 * testTtlMs);
    expect([...releasing].every((lease) => lease.isValid())).toBe(true);
    expect(second.shards()).toEqual([]);
    endWork();
    await waitUntilHolding(second, shardCount / 2);
    expect([...releasing].some((lease) => lease.isValid())).toBe(false);
  });

  it('a shard is released even if the work on it does not end in time', async () => {
    const onReleasing = () => new Promise<void>(() => undefined);
    const first = await keepers.start({ onReleasing, drainTimeoutMs: 50 });
    await waitUntilHolding(first, shardCount);
    const second = await keepers.start();
    await waitUntilHolding(second, shardCount / 2);
    expect(first.warnings).toContain('work on a shard did not stop in time; releasing it anyway');
  });
});

describe('a drained replica', () => {
  it('a drained replica hands over all shards, including busy ones, and takes its share again when resumed', async () => {
    const first = await keepers.start({ replicaId: 'first', countTurns: () => 1 });
    await waitUntilHolding(first, shardCount);
    const second = await keepers.start();
    const store = new ShardStore(keepers.mongo.db);
    await store.setDrained('first', true);
    await waitUntilHolding(second, shardCount);
    expect(first.shards()).toEqual([]);
    expect(countEvents(first, 'lost')).toBe(0);
    await store.setDrained('first', false);
    await waitUntilHolding(first, shardCount / 2);
  });
});

describe('shards with running turns', () => {
  const isOdd = ({ shard }: Lease): boolean => shard % 2 === 1;

  it('idle shards are handed over first, and busy ones stay if there are enough idle ones', async () => {
    const first = await keepers.start({ countTurns: (lease) => Number(isOdd(lease)) });
    await waitUntilHolding(first, shardCount);
    const second = await keepers.start();
    await waitUntilHolding(second, shardCount / 2);
    expect(first.shards().every((shard) => shard % 2 === 1)).toBe(true);
  });

  it('a busy shard whose turns do not end during a handover stays, and is not tried again at once; half of the shards move when all turns have ended', async () => {
    const tried: number[] = [];
    let hasEnded = false;
    const first = await keepers.start({
      countTurns: () => Number(!hasEnded),
      idleWaitMs: 50,
      onReleasing: async ({ shard }) => {
        tried.push(shard);
        return hasEnded;
      },
    });
    await waitUntilHolding(first, shardCount);
    const second = await keepers.start();
    await eventually(() => new Set(tried).size === shardCount);
    expect(tried).toHaveLength(shardCount);
    expect([first.shards().length, second.shards().length]).toEqual([shardCount, 0]);
    hasEnded = true;
    await waitUntilHolding(second, shardCount / 2);
    expect(countEvents(first, 'lost')).toBe(0);
  });

  it('a failed handover of a busy shard is retried after a while', async () => {
    let tries = 0;
    const onReleasing = async () => ++tries > shardCount;
    const busy = { countTurns: () => 1, idleWaitMs: 50, keepForMs: 50, onReleasing };
    await waitUntilHolding(await keepers.start(busy), shardCount);
    await waitUntilHolding(await keepers.start(), shardCount / 2);
  });
});

describe('a replica that stops', () => {
  it('a stopping replica hands over its idle shards first, and those with running turns afterwards', async () => {
    let endTurn: () => void = () => undefined;
    const turn = new Promise<void>((resolve) => (endTurn = resolve));
    const onReleasing = ({ shard }: Lease) => (shard === 3 ? turn : Promise.resolve());
    const first = await keepers.start({ onReleasing, releaseTimeoutMs: 60_000 });
    await waitUntilHolding(first, shardCount);
    const second = await keepers.start({ countTurns: () => 1, idleWaitMs: 60_000 });
    const stopped = first.keeper.stop();
    await waitUntilHolding(second, shardCount - 1);
    expect(leaseOf(first, 3)?.isValid()).toBe(true);
    endTurn();
    await stopped;
    await waitUntilHolding(second, shardCount);
  });

  it('the shards of a stopping replica are taken over within a second, thanks to its hint', async () => {
    const first = await keepers.start(slowRenewal);
    await waitUntilHolding(first, shardCount);
    const second = await keepers.start(slowRenewal);
    const stopped = first.keeper.stop();
    await waitUntilHolding(second, shardCount, 1_000);
    await stopped;
    expect(first.shards()).toEqual([]);
    expect(countEvents(first, 'releasing')).toBe(shardCount);
    expect((await keepers.readLeases()).replicas).toHaveLength(1);
  });

  it('a replica that stops while it is acquiring shards keeps none of them', async () => {
    let taken = 0;
    const stopNow = (): void => void first.keeper.stop();
    class LateStore extends ShardStore {
      override async acquire(...args: Parameters<ShardStore['acquire']>): Acquisition {
        stopNow();
        const held = await super.acquire(...args);
        taken += held.length;
        return held;
      }
    }
    const first = await keepers.start({ ...slowRenewal, makeStore: (db) => new LateStore(db) });
    const areAllFree = async () => (await keepers.readLeases()).replicas.length === 0;
    await eventually(async () => taken === shardCount && (await areAllFree()));
    expect(first.events).toEqual([]);
  });
});

describe('a replica that dies', () => {
  it('the shards of a dead replica move to the others when its leases expire', async () => {
    const options = { ttlMs: 1_000, renewEveryMs: 250 };
    const replicas = [await keepers.start(options), await keepers.start(options)] as const;
    const victim = await keepers.start(options);
    await eventually(
      () => victim.shards().length > 0 && keepers.areAllServedBy([...replicas, victim]),
    );
    const orphans = victim.keeper.held();
    await victim.kill();
    await eventually(() => keepers.areAllServedBy(replicas), { timeoutMs: options.ttlMs + 2_000 });
    expect(orphans.some((lease) => lease.isValid())).toBe(false);
    expect(countEvents(victim, 'lost')).toBeGreaterThanOrEqual(orphans.length);
    expect(victim.warnings.filter((text) => text.startsWith('lease renewal failed'))).toHaveLength(
      1,
    );
  });

  it('a dead replica’s shards are taken over as soon as its leases expire, not only at the next renewal', async () => {
    const victim = await keepers.start({ ttlMs: 1_500, renewEveryMs: 100 });
    const heir = await keepers.start(slowRenewal);
    await eventually(() => heir.shards().length > 0 && keepers.areAllServedBy([victim, heir]));
    await victim.kill();
    await waitUntilHolding(heir, shardCount);
  });

  it('no shard ever has two holders while replicas come and go', async () => {
    const alive: TestReplica[] = [];
    for (let round = 0; round < 8; round++) {
      alive.push(await keepers.start({ ttlMs: 400, renewEveryMs: 50 }));
      await eventually(() => keepers.areAllServedBy(alive), { intervalMs: 1 });
      if (round % 4 === 1) await alive.shift()?.keeper.stop();
      if (round % 4 === 3) await alive.shift()?.kill();
    }
    await eventually(() => keepers.areAllServedBy(alive));
  });
});

describe('a replica that is frozen or disconnected', () => {
  it('a thawed replica immediately finds its leases invalid and acquires new ones', async () => {
    let frozenMs = 0;
    const replica = await keepers.start({ nowMs: () => performance.now() + frozenMs });
    await waitUntilHolding(replica, shardCount);
    const before = replica.keeper.held();
    frozenMs += testTtlMs;
    expect(before.some((lease) => lease.isValid())).toBe(false);
    expect(replica.shards()).toEqual([]);
    expect(leaseOf(replica, 0)).toBeUndefined();
    await waitUntilHolding(replica, shardCount);
    expect(countEvents(replica, 'lost')).toBe(shardCount);
    expect(before.some((lease) => lease.isValid())).toBe(false);
  });

  it('a thawed replica does not serve shards whose leases were granted while it was frozen', async () => {
    let frozenMs = 0;
    class FreezingStore extends ShardStore {
      override async acquire(...args: Parameters<ShardStore['acquire']>): Acquisition {
        const taken = await super.acquire(...args);
        frozenMs += frozenMs === 0 ? testTtlMs : 0;
        return taken;
      }
    }
    const replica = await keepers.start({
      nowMs: () => performance.now() + frozenMs,
      makeStore: (db) => new FreezingStore(db),
    });
    await waitUntilHolding(replica, shardCount);
    expect(replica.keeper.held().every(({ fence }) => fence === 2)).toBe(true);
    expect(countEvents(replica, 'gained')).toBe(shardCount);
  });

  it('a replica that cannot write to the database loses its shards within twice the lease duration, and acquires them again afterwards', async () => {
    const replica = await keepers.start();
    await waitUntilHolding(replica, shardCount);
    const admin = keepers.mongo.client.db('admin');
    await admin.command({ fsync: 1, lock: true });
    try {
      const timeoutMs = 2 * testTtlMs;
      await eventually(() => countEvents(replica, 'lost') === shardCount, { timeoutMs });
      expect(replica.shards()).toEqual([]);
    } finally {
      await admin.command({ fsyncUnlock: 1 });
    }
    await waitUntilHolding(replica, shardCount);
  });
});

describe('preparing a shard', () => {
  it('preparing a shard does not delay other shards, and the shard is not served until it is ready', async () => {
    let getReady: () => void = () => undefined;
    const ready = new Promise<void>((resolve) => (getReady = resolve));
    const onGained = async ({ shard }: Lease) => (shard === 3 ? ready : undefined);
    const replica = await keepers.start({ onGained });
    await waitUntilHolding(replica, shardCount - 1);
    await keepers.waitForRenewals(1.5 * testTtlMs);
    expect(leaseOf(replica, 3)).toBeUndefined();
    expect(countEvents(replica, 'lost')).toBe(0);
    getReady();
    await eventually(() => leaseOf(replica, 3));
  });

  it('preparing a shard is retried after a pause when it fails', async () => {
    const triedAtMs: number[] = [];
    const onGained = async ({ shard }: Lease) => {
      if (shard === 3 && triedAtMs.push(performance.now()) < 3) throw new Error('not ready');
    };
    const replica = await keepers.start({ ttlMs: 1_000, onGained });
    await waitUntilHolding(replica, shardCount);
    const [first, second, third] = triedAtMs as [number, number, number];
    expect(Math.min(second - first, third - second)).toBeGreaterThanOrEqual(1_000);
    expect(replica.warnings).toContain('serving a shard failed; retrying later');
    expect(countEvents(replica, 'lost')).toBe(0);
  });
});

describe('LeaseObserver', () => {
  it('the observer is notified of each lease that is gained, lost or released', async () => {
    const seen = { gained: 0, lost: 0, released: 0 };
    let frozenMs = 0;
    const replica = await keepers.start({
      nowMs: () => performance.now() + frozenMs,
      observer: {
        gained: () => seen.gained++,
        lost: () => seen.lost++,
        released: () => seen.released++,
      },
    });
    await waitUntilHolding(replica, shardCount);
    frozenMs += testTtlMs;
    await eventually(() => seen.lost === shardCount);
    await waitUntilHolding(replica, shardCount);
    await replica.keeper.stop();
    expect(seen).toEqual({ gained: 2 * shardCount, lost: shardCount, released: shardCount });
  });
});
