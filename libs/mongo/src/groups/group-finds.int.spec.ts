import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startMongoProxy, testDatabase, type WireProxy } from '@daycare/testing';
import { connectMongo, type MongoConnection } from '../connect-mongo';
import { groupFinds } from './group-finds';

interface Thing {
  readonly _id: string;
  readonly tag: string;
}

let directMongo: MongoConnection;
let proxy: WireProxy;
let proxiedMongo: MongoConnection;
beforeAll(async () => {
  directMongo = await testDatabase('group-finds');
  proxy = await startMongoProxy();
  proxiedMongo = await connectMongo({
    url: proxy.url,
    database: directMongo.db.databaseName,
    appName: 'test',
  });
  const things = Array.from({ length: 200 }, (_, index) => ({ _id: `${index}`, tag: `t${index}` }));
  await directMongo.db.collection<Thing>('things').insertMany(things);
});
afterAll(async () => {
  await proxiedMongo.close();
  await proxy.close();
  await directMongo.close();
});

describe('groupFinds', () => {
  it.each([
    ['_id', ''],
    ['tag', 't'],
  ] as const)('serves 200 concurrent look-ups by %s with one query', async (field, prefix) => {
    const find = groupFinds(proxiedMongo.db.collection<Thing>('things'), field);
    const keys = Array.from({ length: 200 }, (_, index) => `${prefix}${index}`);
    await find('warm-up');
    proxy.record();
    const found = await Promise.all([...keys, 'absent'].map((key) => find(key)));
    expect(found.map((thing) => thing?.[field])).toEqual([...keys, undefined]);
    expect(proxy.steps()).toEqual(['find things']);
  });

  it('finds a document that was stored after an earlier look-up of the same key had found nothing', async () => {
    const things = directMongo.db.collection<Thing>('things');
    const find = groupFinds(things, '_id');
    const before = find('new');
    await before;
    await things.insertOne({ _id: 'new', tag: 'new' });
    expect(await find('new')).toEqual({ _id: 'new', tag: 'new' });
  });
});
