import { MongoClient } from 'mongodb';
import { uniqueName } from '@daycare/testing';
import type { BenchStack } from '../kit/bench-stack';
import type { PreparedProbe, Probe } from '../kit/workload';

/** Inserts one small document, journaled on a majority, into a collection without secondary indexes. */
export const mongoInsert = {
  name: 'mongo-insert',
  async prepare(stack: BenchStack): Promise<PreparedProbe> {
    const client = new MongoClient(stack.mongoUrl, {
      writeConcern: { w: 'majority', journal: true },
      serverSelectionTimeoutMS: 5_000,
    });
    await client.connect();
    const db = client.db(uniqueName('bench'));
    const documents = db.collection('documents');
    return {
      run: () =>
        documents.insertOne({ name: 'Ada Lovelace', note: 'about the size of a stored user' }),
      async close() {
        await db.dropDatabase();
        await client.close();
      },
    };
  },
} as const satisfies Probe;
