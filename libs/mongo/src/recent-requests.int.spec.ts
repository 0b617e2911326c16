import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { testDatabase } from '@daycare/testing';
import type { MongoConnection } from './connect-mongo';
import { appendRequest, pushRequest } from './recent-requests';

interface Thing {
  readonly _id: string;
  readonly changedBy?: string[];
}

let mongo: MongoConnection;
beforeAll(async () => {
  mongo = await testDatabase();
});
afterAll(() => mongo.close());

const ids = Array.from({ length: 20 }, (_, index) => `$r${index}`);

describe('when a document remembers its recent requests', () => {
  it.each([
    ['$push', (id: string) => ({ $push: { changedBy: pushRequest(id) } })],
    ['a pipeline', (id: string) => [{ $set: { changedBy: appendRequest('changedBy', id) } }]],
  ])(
    'an update with %s keeps the newest 16 requests, even if their ids start with "$"',
    async (name, update) => {
      const things = mongo.db.collection<Thing>('things');
      await things.insertOne({ _id: name });
      for (const id of ids) await things.updateOne({ _id: name }, update(id));
      expect((await things.findOne({ _id: name }))?.changedBy).toEqual(ids.slice(-16));
    },
  );
});
