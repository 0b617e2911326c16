import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ensureIndexes, type MongoConnection } from '@daycare/mongo';
import { eventually, testDatabase } from '@daycare/testing';
import type { Collection, Document } from 'mongodb';
import { replicaIndexes, shardIndexes, ShardStore, type HeldShard } from './shard-store';

const count = 64;
const longMs = 60_000;

let mongo: MongoConnection;
let store: ShardStore;
let shards: Collection<{ _id: number; holder?: string; fence: number; expiresAt: Date }>;

beforeAll(async () => {
  mongo = await testDatabase('shards');
  await ensureIndexes(mongo.db, [shardIndexes, replicaIndexes]);
  store = new ShardStore(mongo.db);
  shards = mongo.db.collection('shards');
});
beforeEach(async () => {
  await shards.deleteMany({});
  await mongo.db.collection('replicas').deleteMany({});
  await store.ensure(count);
});
afterAll(() => mongo.close());

const numbers = (held: readonly HeldShard[]) =>
  held.map(({ shard }) => shard).sort((a, b) => a - b);
const all = Array.from({ length: count }, (_, shard) => shard);
/** As if this much time had passed. */
const age = (filter: Document, ms: number) =>
  shards.updateMany(filter, [{ $set: { expiresAt: { $subtract: ['$expiresAt', ms] } } }]);

describe('ensure', () => {
  it('creates each shard once, also when many replicas start at once', async () => {
    await shards.deleteMany({});
    await Promise.all(Array.from({ length: 8 }, () => new ShardStore(mongo.db).ensure(count)));
    const found = await shards.find().sort({ _id: 1 }).toArray();
    expect(found.map(({ _id }) => _id)).toEqual(all);
    expect(found.every(({ fence, holder }) => fence === 0 && !holder)).toBe(true);
  });

  it('leaves what is there alone', async () => {
    const held = await store.acquire('a', 5, longMs);
    await store.ensure(count);
    expect(await store.renew('a', longMs)).toEqual(
      expect.arrayContaining(held.map((one) => ({ ...one }))),
    );
  });

  it('adds shards but refuses to take some away', async () => {
    await store.ensure(count + 1);
    await expect(store.ensure(count)).rejects.toThrow('65 shards and cannot go back to 64');
  });
});

describe('announce', () => {
  it('answers how many replicas live', async () => {
    expect(await store.announce('a', longMs)).toBe(1);
    expect(await store.announce('b', longMs)).toBe(2);
    expect(await store.announce('a', longMs)).toBe(2);
    await store.withdraw('b');
    expect(await store.announce('a', longMs)).toBe(1);
  });

  it('stops counting a replica that has been silent for its time', async () => {
    await store.announce('a', 1);
    await eventually(async () => (await store.announce('b', longMs)) === 1);
  });
});

describe('acquire', () => {
  it('takes no more than asked for, and nothing when nothing is free', async () => {
    expect(await store.acquire('a', 10, longMs)).toHaveLength(10);
    expect(await store.acquire('b', 100, longMs)).toHaveLength(54);
    expect(await store.acquire('c', 100, longMs)).toEqual([]);
    expect(await store.acquire('c', 0, longMs)).toEqual([]);
  });

  it('never gives a shard to two, and leaves none over, when replicas race', async () => {
    const racers = ['a', 'b', 'c', 'd'];
    const held = await Promise.all(racers.map((id) => store.acquire(id, count, longMs)));
    expect(numbers(held.flat())).toEqual(all);
    for (const [index, id] of racers.entries()) {
      expect(numbers(await store.renew(id, longMs))).toEqual(numbers(held[index]!));
    }
  });

  it('tries again when others were faster', async () => {
    const racers = Array.from({ length: 2 }, (_, index) => `racer${index}`);
    for (let turn = 0; turn < 10; turn++) {
      const held = await Promise.all(racers.map((id) => store.acquire(id, count / 2, longMs)));
      expect(numbers(held.flat())).toEqual(all);
      await Promise.all(racers.map((id, index) => store.release(id, held[index]!)));
    }
  });

  it('takes what has expired, with a higher fence each time, also from itself', async () => {
    const fences = [];
    for (const id of ['a', 'b', 'b', 'a']) {
      const held = await store.acquire(id, count, longMs);
      expect(numbers(held)).toEqual(all);
      fences.push(new Set(held.map(({ fence }) => fence)));
      await age({}, longMs);
    }
    expect(fences).toEqual([new Set([1]), new Set([2]), new Set([3]), new Set([4])]);
  });

  it('leaves the excepted ones to others', async () => {
    const held = await store.acquire('a', count, longMs, [3, 5]);
    expect(numbers(held)).toEqual(all.filter((shard) => shard !== 3 && shard !== 5));
    expect(numbers(await store.acquire('b', count, longMs))).toEqual([3, 5]);
  });

  it('takes the name of a replica for a name, whatever it looks like', async () => {
    await store.acquire('$fence', 1, longMs);
    expect(await store.renew('$fence', longMs)).toHaveLength(1);
  });
});

describe('renew', () => {
  it('prolongs what is held and keeps the fences', async () => {
    const held = await store.acquire('a', count, longMs);
    await age({}, longMs / 2);
    const [before] = await shards.find({ _id: 7 }).toArray();
    expect(numbers(await store.renew('a', longMs))).toEqual(numbers(held));
    const [after] = await shards.find({ _id: 7 }).toArray();
    expect(after!.expiresAt.getTime()).toBeGreaterThan(before!.expiresAt.getTime());
    expect(after!.fence).toBe(before!.fence);
  });

  it('does not revive what has expired, though nobody took it', async () => {
    await store.acquire('a', count, longMs);
    await age({ _id: { $lt: 4 } }, longMs);
    expect(numbers(await store.renew('a', longMs))).toEqual(all.slice(4));
    expect(numbers(await store.acquire('b', count, longMs))).toEqual([0, 1, 2, 3]);
  });

  it('does not take back what somebody else has by now', async () => {
    await store.acquire('a', count, longMs);
    await age({}, longMs);
    await store.acquire('b', 10, longMs);
    expect(await store.renew('a', longMs)).toEqual([]);
    expect(await store.renew('b', longMs)).toHaveLength(10);
  });
});

describe('release', () => {
  it('frees what is named and nothing else', async () => {
    const held = await store.acquire('a', count, longMs);
    const [first, second, ...rest] = held as [HeldShard, HeldShard, ...HeldShard[]];
    await store.release('a', [first, second]);
    expect(numbers(await store.renew('a', longMs))).toEqual(numbers(rest));
    const taken = await store.acquire('b', count, longMs);
    expect(numbers(taken)).toEqual(numbers([first, second]));
    expect(taken.every(({ fence }) => fence === 2)).toBe(true);
  });

  it('leaves alone what somebody else holds, or the same replica anew', async () => {
    const held = await store.acquire('a', count, longMs);
    await age({ _id: { $lt: 2 } }, longMs);
    await store.acquire('a', 1, longMs);
    await store.acquire('b', 1, longMs);
    await store.release('a', held);
    expect(await store.renew('a', longMs)).toMatchObject([{ fence: 2 }]);
    expect(await store.renew('b', longMs)).toMatchObject([{ fence: 2 }]);
  });
});

/** Everything the store asks of MongoDB, as the database recorded it. */
describe('every query of the store', () => {
  let recorded: Document[];

  beforeAll(async () => {
    await store.ensure(count);
    await mongo.db.command({ profile: 2 });
    await store.ensure(count);
    await store.announce('a', longMs);
    const held = await store.acquire('a', 10, longMs, [1]);
    await store.renew('a', longMs);
    await store.release('a', held);
    await store.withdraw('a');
    await mongo.db.command({ profile: 0 });
    const names = ['shards', 'replicas'].map((name) => `${mongo.db.databaseName}.${name}`);
    recorded = await mongo.db
      .collection('system.profile')
      .find({ ns: { $in: names } })
      .toArray();
  });

  it('goes through an index, as it ran', () => {
    for (const { op, planSummary } of recorded) {
      expect(`${op} ${planSummary}`).toMatch(/ (EXPRESS_)?(IXSCAN|IDHACK|COUNT_SCAN)/);
    }
    const kinds = new Set(recorded.map(({ op, ns }) => `${op} ${String(ns).split('.')[1]}`));
    expect(kinds).toEqual(
      new Set([
        'command shards',
        'update shards',
        'update replicas',
        'command replicas',
        'query shards',
        'remove replicas',
      ]),
    );
  });

  it('finds free and held shards without reading the others', async () => {
    await store.acquire('a', 10, longMs);
    const examined = async (filter: Document): Promise<number> => {
      const plan = await shards.find(filter).explain('executionStats');
      return plan['executionStats'].totalDocsExamined;
    };
    expect(await examined({ $expr: { $lte: ['$expiresAt', '$$NOW'] } })).toBe(count - 10);
    expect(await examined({ holder: 'a' })).toBe(10);
  });
});
