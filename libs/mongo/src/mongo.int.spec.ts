import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { testDatabase } from '@daycare/testing';
import type { MongoConnection } from './connect-mongo';
import { tryWrite, violatedIndex } from './unique/duplicate-key';
import { ensureIndexes } from './ensure-indexes';

let mongo: MongoConnection;
beforeAll(async () => {
  mongo = await testDatabase('mongo');
});
afterAll(() => mongo.close());

const declared = [
  { collection: 'things', indexes: [{ name: 'tag', key: { tag: 1 }, unique: true }] },
  { collection: 'others', indexes: [] },
];

describe('connectMongo', () => {
  it('requires a majority to journal each write, and reads only what a majority has stored', () => {
    const { writeConcern, readConcern } = mongo.db.collection('things');
    expect(writeConcern).toMatchObject({ w: 'majority', journal: true });
    expect(readConcern?.level).toBe('majority');
  });

  it('resolves a ping while the server is up', async () => {
    await expect(mongo.ping()).resolves.toBeUndefined();
  });
});

describe('ensureIndexes', () => {
  it('creates the indexes even when many replicas ensure them concurrently and repeatedly', async () => {
    await Promise.all(Array.from({ length: 8 }, () => ensureIndexes(mongo.db, declared)));
    await ensureIndexes(mongo.db, declared);
    const names = (await mongo.db.collection('things').indexes()).map(({ name }) => name);
    expect(names).toEqual(['_id_', 'tag']);
  });

  it('creates every index of a collection that is declared in several parts', async () => {
    const names = Array.from({ length: 60 }, (_, index) => `parts-${index}`);
    const part = (collection: string, name: string) => ({
      collection,
      indexes: [{ name, key: { [name]: 1 as const } }],
    });
    await ensureIndexes(
      mongo.db,
      names.flatMap((name) => [part(name, 'one'), part(name, 'other')]),
    );
    for (const name of names) {
      const found = await mongo.db.collection(name).indexes();
      expect(new Set(found.map((index) => index.name))).toEqual(new Set(['_id_', 'one', 'other']));
    }
  });

  it('rejects a changed index definition and names the index', async () => {
    await ensureIndexes(mongo.db, declared);
    const changed = [
      { collection: 'things', indexes: [{ name: 'tag', key: { tag: -1 as const } }] },
    ];
    await expect(ensureIndexes(mongo.db, changed)).rejects.toThrow('tag');
  });
});

describe('violatedIndex', () => {
  it('names the index that refused a write, and none for other errors', async () => {
    await ensureIndexes(mongo.db, declared);
    const things = mongo.db.collection<{ _id: string; tag: string }>('things');
    await things.insertOne({ _id: 'a', tag: 'same' });
    const byTag: unknown = await things
      .insertOne({ _id: 'b', tag: 'same' })
      .catch((e: unknown) => e);
    const byId: unknown = await things
      .insertOne({ _id: 'a', tag: 'other' })
      .catch((e: unknown) => e);
    expect(violatedIndex(byTag)).toBe('tag');
    expect(violatedIndex(byId)).toBe('_id_');
    expect(violatedIndex(new Error('other'))).toBeUndefined();
  });
});

it('tryWrite returns nothing for a write that a unique index refused, and throws other errors', async () => {
  await ensureIndexes(mongo.db, declared);
  const things = mongo.db.collection<{ _id: string; tag: string }>('things');
  const insert = (_id: string, tag: string) => tryWrite(() => things.insertOne({ _id, tag }));
  expect(await insert('c', 'once')).toMatchObject({ insertedId: 'c' });
  expect(await insert('d', 'once')).toBeUndefined();
  await expect(tryWrite(() => Promise.reject(new Error('other')))).rejects.toThrow('other');
});
