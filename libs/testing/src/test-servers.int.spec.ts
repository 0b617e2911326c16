import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { natsOptions } from '@daycare/local-stack';
import type { MongoConnection } from '@daycare/mongo';
import { connect } from 'nats';
import { testDatabase, testMongoUrl, testNatsUrl } from './test-servers';
import { uniqueName } from './unique-name';

describe('the servers of a Jest run', () => {
  let mongo: MongoConnection;
  beforeAll(async () => {
    mongo = await testDatabase('testing');
  });
  afterAll(() => mongo.close());

  it('the test MongoDB supports transactions, as a replica set does', async () => {
    await mongo.client.withSession((session) =>
      session.withTransaction(async () => {
        await mongo.db.collection('things').insertOne({ name: 'a' }, { session });
      }),
    );
    expect(await mongo.db.collection('things').countDocuments()).toBe(1);
  });

  it('every caller of testDatabase gets its own database, which is dropped when its connection is closed', async () => {
    const other = await testDatabase('testing');
    await other.db.collection('things').insertOne({ name: 'b' });
    const { databaseName } = other.db;
    expect(databaseName).not.toBe(mongo.db.databaseName);
    await other.close();
    const { databases } = await mongo.client.db().admin().listDatabases({ nameOnly: true });
    expect(databases.map(({ name }) => name)).not.toContain(databaseName);
    expect(testMongoUrl()).toContain('replicaSet=daycare');
  });

  it('the test NATS stores JetStream messages', async () => {
    const connection = await connect(natsOptions(testNatsUrl()));
    const name = uniqueName('testing');
    const streams = (await connection.jetstreamManager()).streams;
    await streams.add({ name, subjects: [`${name}.>`] });
    const { seq } = await connection.jetstream().publish(`${name}.x`, 'hello');
    expect(seq).toBe(1);
    await streams.delete(name);
    await connection.close();
  });
});
