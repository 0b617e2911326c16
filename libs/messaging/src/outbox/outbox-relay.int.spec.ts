import os from 'node:os';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ensureIndexes } from '@daycare/mongo';
import { eventually, testMongoUrl, uniqueName } from '@daycare/testing';
import { MongoClient, type Db } from 'mongodb';
import type { NatsConnection } from 'nats';
import { draft, TestLog, testSource } from '../test-support/fixtures';
import type { Bundle } from './bundles';
import type { OutboxPublisher } from './outbox-publisher';
import { OutboxRelay } from './outbox-relay';
import { outboxIndexes } from './rows/outbox-row';
import { OutboxSource } from './outbox-source';
import { OutboxStore } from './outbox-store';

let client: MongoClient;
let db: Db;
beforeAll(async () => {
  // Jest cannot load modules on demand, as the driver would.
  client = await new MongoClient(testMongoUrl(), { runtimeAdapters: { os } }).connect();
  db = client.db(uniqueName('relay'));
  await ensureIndexes(db, outboxIndexes);
});
afterAll(async () => {
  await db.dropDatabase();
  await client.close();
});

it('publishes again when the retry is due, long before the next poll', async () => {
  const timing = { republishAfterMs: 60_000, maxRepublishAfterMs: 60_000, receiptTtlMs: 60_000 };
  const attempts: string[] = [];
  const publisher = {
    ensureStream: async () => undefined,
    retryDelayMs: () => 20,
    publish: async (_bundle: Bundle, id: string) => attempts.push(id) > 2,
  } as unknown as OutboxPublisher;
  const message = draft(uniqueName('lane'));
  await new OutboxStore(db, testSource).append([message]);
  const relay = new OutboxRelay({
    connection: { info: {}, status: endless } as unknown as NatsConnection,
    sources: [new OutboxSource(db, timing)],
    publisher,
    logger: new TestLog(),
    pollMs: 600_000,
    maxInFlight: 10,
  });
  await eventually(() => attempts.length === 3);
  await relay.stop();
  expect(attempts).toEqual([message.id, message.id, message.id]);
});

/** The statuses of a connection that is never lost. */
async function* endless(): AsyncGenerator<never> {
  await new Promise(() => undefined);
}
