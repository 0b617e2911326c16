import { connectMongo } from '@daycare/mongo';
import { startMongoProxy } from '@daycare/testing';
import { openTestCalls, TestCalls } from './test-calls';

/** The usecases behind a proxy that records their commands. */
export interface RecordedCalls {
  readonly calls: TestCalls;
  /** Returns the commands that `work` sends to MongoDB, such as `find ties`. */
  commandsOf(work: () => Promise<unknown>): Promise<string[]>;
  close(): Promise<void>;
}

export async function openRecordedCalls(): Promise<RecordedCalls> {
  const direct = await openTestCalls();
  const proxy = await startMongoProxy();
  const database = direct.mongo.db.databaseName;
  const proxied = await connectMongo({ url: proxy.url, database, appName: 'daycare-recorded' });
  return {
    calls: new TestCalls(proxied),
    async commandsOf(work) {
      proxy.record();
      await work();
      return proxy.steps();
    },
    async close() {
      await proxied.close();
      await proxy.close();
      await direct.close();
    },
  };
}
