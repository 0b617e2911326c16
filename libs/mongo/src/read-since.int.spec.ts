import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { testDatabase } from '@daycare/testing';
import type { MongoConnection } from './connect-mongo';
import { readSince } from './read-since';

let mongo: MongoConnection;
beforeAll(async () => {
  mongo = await testDatabase();
});
afterAll(() => mongo.close());

const readThings = (since: bigint) =>
  readSince(mongo.db.client, since, (session) =>
    mongo.db.collection('things').find({}, { session }).toArray(),
  );

it('readSince returns times that advance when another document is stored', async () => {
  const before = await readThings(0n);
  await mongo.db.collection('things').insertOne({});
  const after = await readThings(before.committed);
  expect(after.found).toHaveLength(1);
  expect(after.committed > before.committed).toBe(true);
  expect(after.clock > before.clock).toBe(true);
  expect(before.clock >= before.committed).toBe(true);
});

it('readSince fails if it has to include a time that the database has not reached', async () => {
  const { clock } = await readThings(0n);
  await expect(readThings(clock + (1_000n << 32n))).rejects.toThrow('afterClusterTime');
});
