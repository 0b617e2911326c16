import { ensureIndexes, type MongoConnection } from '@daycare/mongo';
import { testDatabase } from '@daycare/testing';
import { OutboxSource } from '../outbox/outbox-source';
import { OutboxStore } from '../outbox/outbox-store';
import { outboxIndexes } from '../outbox/rows/outbox-row';
import { testSource } from './fixtures';

export interface TestOutbox {
  readonly mongo: MongoConnection;
  readonly store: OutboxStore;
  readonly source: OutboxSource;
}

/** Opens an outbox in a separate database, with delays so long that no published message is due again during a test. */
export async function openTestOutbox(name: string): Promise<TestOutbox> {
  const mongo = await testDatabase(name);
  await ensureIndexes(mongo.db, outboxIndexes);
  const timing = { republishAfterMs: 15_000, maxRepublishAfterMs: 60_000, receiptTtlMs: 60_000 };
  const store = new OutboxStore(mongo.db, testSource);
  return { mongo, store, source: new OutboxSource(mongo.db, timing) };
}
