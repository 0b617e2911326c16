import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startMongoProxy, testDatabase, testMongoUrl, type WireProxy } from '@daycare/testing';
import { connectMongo, type MongoConnection } from '../connect-mongo';
import { groupFinds } from './group-finds';

interface Thing {
  readonly _id: string;
  readonly tag: string;
}

let direct: MongoConnection;
let proxy: WireProxy;
let proxied: MongoConnection;
beforeAll(async () => {
  direct = await testDatabase('group-finds');
  proxy = await startMongoProxy({ target: testMongoUrl() });
  proxied = await connectMongo({
    url: proxy.url,
    database: direct.db.databaseName,
    appName: 'test',
  });
  const things = Array.from({ length: 200 }, (_, index) => ({ _id: `${index}`, tag: `t${index}` }));
  await direct.db.collection<Thing>('things').insertMany(things);
});
afterAll(async () => {
  await proxied.close();
  await proxy.close();
  await direct.close();
});

describe('groupFinds', () => {
  it.each([
    ['_id', ''],
    ['tag', 't'],
  ] as const)('answers 200 concurrent look-ups by %s with one query', async (field, prefix) => {
    const find = groupFinds(proxied.db.collection<Thing>('things'), field);
    const keys = Array.from({ length: 200 }, (_, index) => `${prefix}${index}`);
    await find('warm-up');
    proxy.record();
    const found = await Promise.all([...keys, 'absent'].map((key) => find(key)));
    expect(found.map((thing) => thing?.[field])).toEqual([...keys, undefined]);
    expect(proxy.steps()).toEqual(['find things']);
  });

  it('returns what was stored before the look-up, never an earlier state', async () => {
    const things = direct.db.collection<Thing>('things');
    const find = groupFinds(things, '_id');
    const before = find('new');
    await before;
    await things.insertOne({ _id: 'new', tag: 'new' });
    expect(await find('new')).toEqual({ _id: 'new', tag: 'new' });
  });
});
