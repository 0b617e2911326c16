import os from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AppName } from '@daycare/local-stack';
import { MongoClient } from 'mongodb';
import { testMongoUrl } from '../test-servers';
import { uniqueName } from '../unique-name';
import { createStackUsers } from './stack-users';

const prefix = uniqueName('users');
const databaseOf = (name: AppName): string => `${prefix}-${name}`;
const clients: MongoClient[] = [];
const connect = (url: string): MongoClient => {
  const client = new MongoClient(url, { runtimeAdapters: { os } });
  clients.push(client);
  return client;
};

describe('the MongoDB users of services', () => {
  let identity: MongoClient;
  let topology: MongoClient;
  beforeAll(async () => {
    const urlOf = await createStackUsers(testMongoUrl(), ['identity', 'topology'], databaseOf);
    identity = connect(urlOf('identity'));
    topology = connect(urlOf('topology'));
    await topology.db(databaseOf('topology')).collection('things').insertOne({ secret: 1 });
  });
  afterAll(() => Promise.all(clients.map((client) => client.close())));

  const foreignThings = () => identity.db(databaseOf('topology')).collection('things');

  it('a service reads and writes its own database', async () => {
    const ownThings = identity.db(databaseOf('identity')).collection('things');
    await ownThings.createIndexes([{ name: 'name', key: { name: 1 } }]);
    await ownThings.insertOne({ name: 'a' });
    expect(await ownThings.countDocuments()).toBe(1);
  });

  it.each([
    ['read another service’s data', () => foreignThings().findOne()],
    ['change another service’s data', () => foreignThings().updateOne({}, { $set: { secret: 2 } })],
    ['drop one of another service’s collections', () => foreignThings().drop()],
    ['list MongoDB’s users', () => identity.db('admin').command({ usersInfo: 1 })],
  ])('a service cannot %s', async (_, attempt) => {
    await expect(attempt()).rejects.toThrow(/not authorized/);
  });

  it('a client without a password can read nothing, even from the same machine', async () => {
    const anonymous = connect(testMongoUrl().replace(/\/\/[^/@]*@/, '//'));
    const things = anonymous.db(databaseOf('topology')).collection('things');
    await expect(things.findOne()).rejects.toThrow(/requires authentication/);
  });
});
