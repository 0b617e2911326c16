import os from 'node:os';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startMongoProxy, testDatabase, type WireProxy } from '@daycare/testing';
import { MongoClient, type Collection, type Timestamp } from 'mongodb';
import type { MongoConnection } from '../connect-mongo';
import { ensureIndexes } from '../ensure-indexes';
import { groupCalls } from './group-calls';
import { insertAll } from './insert-all';
import { serverOrder } from './server-order';

interface Thing {
  readonly _id: string;
  readonly tag?: string;
  readonly order?: Timestamp;
}

let directMongo: MongoConnection;
beforeAll(async () => {
  directMongo = await testDatabase('insert-all');
  const index = { name: 'tag', key: { tag: 1 }, unique: true, sparse: true };
  await ensureIndexes(directMongo.db, [{ collection: 'things', indexes: [index] }]);
});
afterAll(() => directMongo.close());

const things = (client: MongoClient = directMongo.client): Collection<Thing> =>
  client.db(directMongo.db.databaseName).collection('things');
const storedIds = async () =>
  (await things().find().sort({ order: 1 }).toArray()).map((d) => d._id);
const thingsWithIds = (...ids: string[]): Thing[] =>
  ids.map((_id) => ({ _id, order: serverOrder() }));
afterEach(() => things().deleteMany({}));

describe('insertAll', () => {
  it('stores all documents, with serverOrder values that increase in the given order', async () => {
    const ids = Array.from({ length: 64 }, (_, index) => `${63 - index}`);
    const outcomes = await insertAll(things(), thingsWithIds(...ids), { ordered: true });
    expect(new Set(outcomes)).toEqual(new Set(['stored']));
    expect(await storedIds()).toEqual(ids);
  });

  it.each([true, false])(
    'reports duplicates and stores the rest (ordered: %s)',
    async (ordered) => {
      await insertAll(things(), thingsWithIds('b', 'd'));
      const outcomes = await insertAll(things(), thingsWithIds('a', 'b', 'c', 'd', 'e'), {
        ordered,
      });
      expect(outcomes).toEqual(['stored', 'duplicate', 'stored', 'duplicate', 'stored']);
      expect((await storedIds()).sort()).toEqual(['a', 'b', 'c', 'd', 'e']);
    },
  );

  it('awaits onDuplicate before storing the documents after the duplicate', async () => {
    await insertAll(things(), thingsWithIds('b', 'd'));
    const seen: string[][] = [];
    const onDuplicate = async ({ _id }: Thing): Promise<void> => {
      seen.push([_id, ...(await storedIds()).sort()]);
    };
    const documents = thingsWithIds('a', 'b', 'c', 'd');
    await insertAll(things(), documents, { ordered: true, onDuplicate });
    expect(seen).toEqual([
      ['b', 'a', 'b', 'd'],
      ['d', 'a', 'b', 'c', 'd'],
    ]);
  });

  it('reports the second of two documents with the same id in one batch as a duplicate', async () => {
    expect(await insertAll(things(), thingsWithIds('a', 'a', 'b'))).toEqual([
      'stored',
      'duplicate',
      'stored',
    ]);
  });

  it('reports a document as a duplicate when a unique index other than the one on _id refuses it', async () => {
    const outcomes = await insertAll(things(), [
      { _id: 'a', tag: 'x' },
      { _id: 'b', tag: 'x' },
    ]);
    expect(outcomes).toEqual(['stored', 'duplicate']);
  });

  it('rejects a document that the server cannot store', async () => {
    const bad = { _id: ['an array'] } as unknown as Thing;
    await expect(insertAll(things(), [bad])).rejects.toThrow(/_id/);
  });
});

describe('insertAll in a group of calls', () => {
  let proxy: WireProxy;
  let proxiedClient: MongoClient;
  beforeEach(async () => {
    proxy = await startMongoProxy();
    // Without retries, so that a single broken connection makes the call fail.
    proxiedClient = await MongoClient.connect(proxy.url, {
      retryWrites: false,
      // Passed in because the driver would load it with import(), which Jest does not support.
      runtimeAdapters: { os },
    });
  });
  afterEach(async () => {
    await proxiedClient.close();
    await proxy.close();
  });

  it.each([
    ['before', 0],
    ['after', 2],
  ] as const)(
    'rejects every call with UNAVAILABLE when the connection breaks %s the server stores the documents',
    async (when, stored) => {
      proxy.trap({ label: 'insert things', when }, () => undefined);
      const insert = groupCalls((docs: readonly Thing[]) => insertAll(things(proxiedClient), docs));
      const results = await Promise.allSettled(thingsWithIds('a', 'b').map(insert));
      expect(results).toEqual(
        results.map(() => ({
          status: 'rejected',
          reason: expect.objectContaining({ code: 'UNAVAILABLE' }),
        })),
      );
      expect(await storedIds()).toHaveLength(stored);
      expect(new Set(await Promise.all(thingsWithIds('a', 'b').map(insert)))).toEqual(
        new Set([when === 'before' ? 'stored' : 'duplicate']),
      );
    },
  );
});
