import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { testDatabase } from '@daycare/testing';
import type { MongoConnection } from './connect-mongo';
import { inTransaction } from './in-transaction';

let mongo: MongoConnection;
beforeAll(async () => {
  mongo = await testDatabase();
});
afterAll(() => mongo.close());

describe('a transaction', () => {
  it('is run again when the server has ended it in the middle of a command', async () => {
    const things = mongo.db.collection<{ _id: string }>('things');
    await things.insertOne({ _id: 'present' });
    let tries = 0;
    const outcome = await inTransaction(mongo.db.client, async (session) => {
      tries += 1;
      await things.insertOne({ _id: `try ${tries}` }, { session });
      // Longer than the server lets a transaction last.
      if (tries === 1) await things.findOne({ $where: 'sleep(20000) || true' }, { session });
      return 'done';
    });
    expect(outcome).toBe('done');
    expect((await things.find().toArray()).map(({ _id }) => _id)).toEqual(['present', 'try 2']);
  });

  it('ends with what its work throws, and stores nothing', async () => {
    const others = mongo.db.collection<{ _id: string }>('others');
    await others.insertOne({ _id: 'present' });
    const failing = inTransaction(mongo.db.client, async (session) => {
      await others.insertOne({ _id: 'gone' }, { session });
      throw new Error('not so');
    });
    await expect(failing).rejects.toThrow('not so');
    expect(await others.countDocuments()).toBe(1);
  });
});
