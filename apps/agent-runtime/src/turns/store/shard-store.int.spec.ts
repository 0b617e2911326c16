import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { MongoConnection } from '@daycare/mongo';
import { eventually, testDatabase } from '@daycare/testing';
import type { Collection, Document } from 'mongodb';
import { ShardStore, type HeldShard } from './shard-store';

const shardCount = 64;
const longMs = 60_000;

let mongo: MongoConnection;
let store: ShardStore;
let leases: Collection<{ _id: string } & Document>;

beforeAll(async () => {
  mongo = await testDatabase('shards');
  store = new ShardStore(mongo.db);
  leases = mongo.db.collection('leases');
});
beforeEach(async () => {
  await leases.deleteMany({});
  await store.ensure(shardCount);
});
afterAll(() => mongo.close());

const numbers = (held: readonly HeldShard[]) =>
  held.map(({ shard }) => shard).sort((a, b) => a - b);
const allShards = Array.from({ length: shardCount }, (_, shard) => shard);
const heldBy = async (id: string) => (await store.renew(id, longMs)).held;
/** Makes this replica's lease end earlier. */
const age = (id: string, ms: number) => {
  const older = {
    $mergeObjects: ['$$each', { expiresAt: { $subtract: ['$$each.expiresAt', ms] } }],
  };
  const aged = { $cond: [{ $eq: ['$$each.id', id] }, older, '$$each'] };
  const replicas = { $map: { input: '$replicas', as: 'each', in: aged } };
  return leases.updateOne({}, [{ $set: { replicas } }]);
};

describe('ensure', () => {
  it('creates each shard once even when many replicas start concurrently', async () => {
    await leases.deleteMany({});
    await Promise.all(Array.from({ length: 8 }, () => new ShardStore(mongo.db).ensure(shardCount)));
    expect(await leases.find().toArray()).toEqual([
      { _id: 'shards', fences: allShards.map(() => 0), replicas: [] },
    ]);
  });

  it('leaves existing shards unchanged', async () => {
    const held = await store.acquire('a', 5, longMs);
    await store.ensure(shardCount);
    expect(await heldBy('a')).toEqual(held);
  });

  it('adds shards but refuses to remove any', async () => {
    await store.ensure(shardCount + 1);
    await expect(store.ensure(shardCount)).rejects.toThrow(
      '65 shards; their number cannot be reduced to 64',
    );
    expect(await store.acquire('a', 100, longMs)).toHaveLength(shardCount + 1);
  });
});

describe('renew', () => {
  it('returns the number of live replicas, excluding those that are leaving', async () => {
    expect(await store.renew('a', longMs)).toEqual({
      held: [],
      replicas: 1,
      isDrained: false,
    });
    expect(await store.renew('b', longMs)).toMatchObject({ replicas: 2 });
    expect(await store.renew('a', longMs)).toMatchObject({ replicas: 2 });
    const leaving = { isLeaving: true, isDrained: false };
    expect(await store.renew('b', longMs, leaving)).toMatchObject({ replicas: 1 });
    await store.withdraw('b');
    expect(await store.renew('a', longMs)).toMatchObject({ replicas: 1 });
  });

  it('stops counting a replica whose lease has expired', async () => {
    await store.renew('a', 1);
    await eventually(async () => (await store.renew('b', longMs)).replicas === 1);
  });

  it('extends the lease and keeps the fences', async () => {
    const held = await store.acquire('a', shardCount, longMs);
    await age('a', longMs / 2);
    const expiry = async () => (await leases.findOne())?.['replicas'][0].expiresAt.getTime();
    const before = await expiry();
    expect(await heldBy('a')).toEqual(held);
    expect(await expiry()).toBeGreaterThan(before);
  });

  it('renewing does not revive an expired lease, even if no replica has taken its shards', async () => {
    await store.acquire('a', shardCount, longMs);
    await age('a', longMs);
    expect(await heldBy('a')).toEqual([]);
    expect(numbers(await store.acquire('b', shardCount, longMs))).toEqual(allShards);
  });

  it('renewing does not take back shards that another replica has acquired', async () => {
    await store.acquire('a', shardCount, longMs);
    await age('a', longMs);
    await store.acquire('b', 10, longMs);
    expect(await heldBy('a')).toEqual([]);
    expect(await heldBy('b')).toHaveLength(10);
  });
});

describe('acquire', () => {
  it('acquires at most the requested number, and nothing when no shard is free', async () => {
    expect(await store.acquire('a', 10, longMs)).toHaveLength(10);
    expect(await store.acquire('b', 100, longMs)).toHaveLength(54);
    expect(await store.acquire('c', 100, longMs)).toEqual([]);
    expect(await store.acquire('c', 0, longMs)).toEqual([]);
  });

  it('assigns every shard to exactly one of many racing replicas', async () => {
    const racers = ['a', 'b', 'c', 'd'];
    for (let round = 0; round < 5; round++) {
      const held = await Promise.all(racers.map((id) => store.acquire(id, shardCount / 2, longMs)));
      expect(numbers(held.flat())).toEqual(allShards);
      for (const [index, id] of racers.entries()) {
        expect(numbers(await heldBy(id))).toEqual(numbers(held[index]!));
        await store.release(id, held[index]!);
      }
    }
  });

  it('adds shards to those that the replica holds and returns only the new ones', async () => {
    const first = await store.acquire('a', 3, longMs);
    const second = await store.acquire('a', 2, longMs);
    expect(second).toHaveLength(2);
    expect(await heldBy('a')).toEqual([...first, ...second]);
  });

  it('acquires shards of expired leases with a higher fence each time, even for the same replica', async () => {
    const fences = [];
    for (const id of ['a', 'b', 'b', 'a']) {
      const held = await store.acquire(id, shardCount, longMs);
      expect(numbers(held)).toEqual(allShards);
      fences.push(new Set(held.map(({ fence }) => fence)));
      await age(id, longMs);
    }
    expect(fences).toEqual([new Set([1]), new Set([2]), new Set([3]), new Set([4])]);
  });

  it('excluded shards are not acquired', async () => {
    const held = await store.acquire('a', shardCount, longMs, [3, 5]);
    expect(numbers(held)).toEqual(allShards.filter((shard) => shard !== 3 && shard !== 5));
    expect(numbers(await store.acquire('b', shardCount, longMs))).toEqual([3, 5]);
  });

  it('stores a replica id literally even if it looks like a MongoDB expression', async () => {
    await store.acquire('$fences', 1, longMs);
    expect(await heldBy('$fences')).toHaveLength(1);
  });

  it('fails when the shards do not exist', async () => {
    await leases.deleteMany({});
    await expect(store.acquire('a', 1, longMs)).rejects.toThrow('there are no shards yet');
  });
});

describe('release', () => {
  it('releases the given shards and no others', async () => {
    const held = await store.acquire('a', shardCount, longMs);
    const [first, second, ...others] = held as [HeldShard, HeldShard, ...HeldShard[]];
    await store.release('a', [first, second]);
    expect(numbers(await heldBy('a'))).toEqual(numbers(others));
    const taken = await store.acquire('b', shardCount, longMs);
    expect(numbers(taken)).toEqual(numbers([first, second]));
    expect(taken.every(({ fence }) => fence === 2)).toBe(true);
  });

  it('shards that were acquired again in the meantime, even by the same replica, are not released', async () => {
    const held = await store.acquire('a', shardCount, longMs);
    await age('a', longMs);
    await store.acquire('a', 1, longMs);
    await store.acquire('b', 1, longMs);
    await store.release('a', held);
    expect(await heldBy('a')).toMatchObject([{ fence: 2 }]);
    expect(await heldBy('b')).toMatchObject([{ fence: 2 }]);
  });

  it('withdrawing a replica frees all of its shards immediately', async () => {
    await store.acquire('a', shardCount, longMs);
    await store.withdraw('a');
    expect(numbers(await store.acquire('b', shardCount, longMs))).toEqual(allShards);
  });
});

it('a renewal is one command on one document, found by its id', async () => {
  await store.acquire('a', 10, longMs);
  await mongo.db.command({ profile: 2 });
  await store.renew('a', longMs);
  await mongo.db.command({ profile: 0 });
  const recorded = await mongo.db
    .collection('system.profile')
    .find({ ns: `${mongo.db.databaseName}.leases` })
    .toArray();
  expect(recorded).toMatchObject([{ op: 'command', docsExamined: 1, nModified: 1 }]);
  expect(recorded[0]!['planSummary']).toMatch(/IDHACK|EXPRESS/);
});

describe('setDrained', () => {
  const drained = { isLeaving: true, isDrained: true };

  it('a renewal returns whether the replica is being drained', async () => {
    await store.renew('a', longMs);
    expect(await store.setDrained('a', true)).toBe(true);
    expect(await store.renew('a', longMs)).toMatchObject({ isDrained: true });
    expect(await store.setDrained('a', false)).toBe(true);
    expect(await store.renew('a', longMs, drained)).toMatchObject({ isDrained: false });
    expect(await store.setDrained('x', true)).toBe(false);
  });

  it('a drained replica whose lease has expired remains drained under its next lease', async () => {
    await store.renew('a', 1);
    await eventually(async () => (await store.renew('b', longMs)).replicas === 1);
    expect(await store.renew('a', longMs, drained)).toMatchObject({ isDrained: true });
    const { replicas, shards } = await store.survey();
    expect(replicas).toMatchObject([
      { id: 'b', shards: 0, isDrained: false, isLeaving: false },
      { id: 'a', shards: 0, isDrained: true, isLeaving: true },
    ]);
    expect(shards.every(({ replicaId }) => replicaId === undefined)).toBe(true);
  });
});
