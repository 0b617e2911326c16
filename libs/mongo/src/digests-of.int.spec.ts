import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { testDatabase } from '@daycare/testing';
import type { MongoConnection } from './connect-mongo';
import { digestsOf } from './digests-of';

let mongo: MongoConnection;
beforeAll(async () => {
  mongo = await testDatabase();
});
afterAll(() => mongo.close());

interface Thing {
  readonly _id: number;
  readonly owner: string;
  readonly content: unknown;
  readonly other?: number;
}

const partOf = (collection: string) => ({
  collection,
  filter: { owner: 'ada' },
  value: ['$_id', '$content'],
});

describe('digestsOf', () => {
  it('returns a digest that changes exactly when a matching document is added or removed or its digested value changes', async () => {
    const things = mongo.db.collection<Thing>('things');
    const digest = async () => (await digestsOf(mongo.db, [partOf('things')]))[0].digest;
    const digests = [await digest()];
    await things.insertMany(
      Array.from({ length: 3_000 }, (_, _id) => ({ _id, owner: 'ada', content: { number: _id } })),
    );
    digests.push(await digest());
    await things.insertOne({ _id: 9_000, owner: 'bob', content: 1 });
    await things.updateOne({ _id: 1 }, { $set: { other: 1 } });
    expect(await digest()).toBe(digests[1]);
    await things.updateOne({ _id: 2_999 }, { $set: { content: { number: 1 } } });
    digests.push(await digest());
    await things.deleteOne({ _id: 0 });
    digests.push(await digest());
    await things.insertOne({ _id: 9_001, owner: 'ada', content: undefined });
    digests.push(await digest());
    expect(new Set(digests).size).toBe(5);
  });

  it('returns the digests of several collections, including empty ones, in the requested order', async () => {
    await mongo.db.collection<Thing>('second').insertOne({ _id: 1, owner: 'ada', content: 1 });
    const parts = [partOf('first'), partOf('second'), partOf('third')] as const;
    const together = await digestsOf(mongo.db, parts);
    expect(together.map(({ count }) => count)).toEqual([0, 1, 0]);
    const alone = await Promise.all(parts.map((part) => digestsOf(mongo.db, [part])));
    expect(together).toEqual(alone.flat());
  });
});
