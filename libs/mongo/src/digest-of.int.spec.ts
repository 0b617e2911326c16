import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { testDatabase } from '@daycare/testing';
import type { MongoConnection } from './connect-mongo';
import { digestOf } from './digest-of';

let mongo: MongoConnection;
beforeAll(async () => {
  mongo = await testDatabase();
});
afterAll(() => mongo.close());

describe('the digest of documents', () => {
  it('differs when one of them does, comes or goes, and not otherwise', async () => {
    const things = mongo.db.collection<{ _id: number; of: string; what: unknown; other?: number }>(
      'things',
    );
    const digest = () => digestOf(things, { of: 'ada' }, ['$_id', '$what']);
    expect(await digest()).toBe('');
    await things.insertMany(
      Array.from({ length: 3_000 }, (_, _id) => ({ _id, of: 'ada', what: { number: _id } })),
    );
    const digests = [await digest()];
    await things.insertOne({ _id: 9_000, of: 'bob', what: 1 });
    await things.updateOne({ _id: 1 }, { $set: { other: 1 } });
    expect(await digest()).toBe(digests[0]);
    await things.updateOne({ _id: 2_999 }, { $set: { what: { number: 1 } } });
    digests.push(await digest());
    await things.deleteOne({ _id: 0 });
    digests.push(await digest());
    await things.insertOne({ _id: 9_001, of: 'ada', what: undefined });
    digests.push(await digest());
    expect(new Set(digests).size).toBe(4);
  });
});
