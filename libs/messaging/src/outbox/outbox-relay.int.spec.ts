import os from 'node:os';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { DatabaseClock, databaseClock, ensureIndexes } from '@daycare/mongo';
import { eventually, testMongoUrl, uniqueName } from '@daycare/testing';
import { MongoClient, type Db } from 'mongodb';
import { Events } from 'nats';
import type { NatsLink } from '../nats/nats-link';
import { draft, TestLog, testSource } from '../test-support/fixtures';
import type { Bundle } from './queue/bundles';
import type { OutboxPublisher } from './outbox-publisher';
import { OutboxRelay } from './outbox-relay';
import { outboxIndexes, type OutboxRow } from './rows/outbox-row';
import { OutboxSource } from './outbox-source';
import { OutboxStore } from './outbox-store';

let client: MongoClient;
let db: Db;
beforeAll(async () => {
  // `os` is passed in because the driver would load it with import(), which Jest does not support.
  client = await new MongoClient(testMongoUrl(), { runtimeAdapters: { os } }).connect();
  db = client.db(uniqueName('relay'));
  await ensureIndexes(db, outboxIndexes);
});
afterAll(async () => {
  await db.dropDatabase();
  await client.close();
});

const timing = { republishAfterMs: 60_000, maxRepublishAfterMs: 60_000, receiptTtlMs: 60_000 };

/** A relay whose publications succeed from attempt `firstSuccess` on, and whose regular poll is far off. */
function startRelay(
  firstSuccess: number,
  { source = new OutboxSource(db, timing), status = endless } = {},
) {
  const attempts: string[] = [];
  const bundles: string[][] = [];
  const publisher = {
    onResumed: () => undefined,
    failPending: () => undefined,
    retryDelayMs: () => 20,
    publish: async ({ id, messages }: Bundle) => {
      bundles.push(messages.map((message) => message.id));
      return attempts.push(id) >= firstSuccess;
    },
  } as unknown as OutboxPublisher;
  const relay = new OutboxRelay({
    connection: { info: {}, status } as unknown as NatsLink,
    sources: [source],
    publisher,
    logger: new TestLog(),
    clock: databaseClock(db),
    pollMs: 600_000,
    maxInFlight: 10,
    skipRecentMs: 15_000,
  });
  return { attempts, bundles, relay };
}

it('OutboxRelay publishes a message again when its retry is due, long before the next poll', async () => {
  const message = draft(uniqueName('lane'));
  await new OutboxStore(db, testSource).append([message]);
  const { attempts, relay } = startRelay(3);
  await eventually(() => attempts.length === 3);
  await relay.stop();
  expect(attempts).toEqual([message.id, message.id, message.id]);
});

it('OutboxRelay republishes another process’s message when it is due, long before the next poll', async () => {
  const message = draft(uniqueName('lane'));
  const store = new OutboxStore(db, testSource);
  const published: string[] = [];
  store.publishThrough({
    publish: (messages) => void published.push(...messages.map(({ id }) => id)),
    republishAfterMs: 1_500,
  });
  await store.append([message]);
  const { attempts, relay } = startRelay(1);
  await eventually(() => attempts.length === 1);
  await relay.stop();
  expect(published).toEqual([message.id]);
  expect(attempts).toEqual([message.id]);
});

it.each([
  ['an hour ahead', 3_600_000],
  ['an hour behind', -3_600_000],
])(
  'a dead process’s message becomes due on time even if that process’s clock was %s',
  async (_, skewMs) => {
    const clock = new DatabaseClock(db, () => Date.now() + skewMs);
    await clock.sync();
    const store = new OutboxStore(db, testSource, undefined, clock);
    store.publishThrough({ publish: () => undefined, republishAfterMs: 1_500 });
    const message = draft(uniqueName('lane'));
    await store.append([message]);
    const row = await db.collection<OutboxRow>('outbox').findOne({ _id: message.id });
    const dueInMs = row?.open ? row.nextAttemptAt.getTime() - Date.now() : NaN;
    expect(Math.abs(dueInMs)).toBeLessThan(60_000);
    const { attempts, relay } = startRelay(1);
    await eventually(() => attempts.includes(message.id));
    await relay.stop();
  },
);

it('OutboxRelay publishes everything again after a reconnection, even when other relays claim parts of each page', async () => {
  const messages = Array.from({ length: 8 }, () => draft(uniqueName('lane')));
  const store = new OutboxStore(db, testSource);
  store.publishThrough({ publish: () => undefined, republishAfterMs: 50_000 });
  await store.append(messages);
  const source = new OutboxSource(db, timing);
  const claimDue = source.claimDue.bind(source);
  source.claimDue = (due, limit) => claimDue(due, Math.min(3, limit));
  const { attempts, relay } = startRelay(1, { source, status: reconnecting });
  await eventually(() => messages.every(({ id }) => attempts.includes(id)));
  await relay.stop();
  expect(new Set(attempts).size).toBe(attempts.length);
});

it('OutboxRelay does not republish a message just after publishing it from memory, even if the message is due', async () => {
  const source = new OutboxSource(db, timing);
  const claimed: string[] = [];
  const claimDue = source.claimDue.bind(source);
  source.claimDue = async (due, limit) => {
    const messages = await claimDue(due, limit);
    claimed.push(...messages.map(({ id }) => id));
    return messages;
  };
  const { bundles, relay } = startRelay(1, { source });
  const store = new OutboxStore(db, testSource);
  store.publishThrough({ publish: (messages) => relay.publish(messages), republishAfterMs: 1 });
  const [ownMessage, otherMessage] = [draft(uniqueName('lane')), draft(uniqueName('lane'))];
  await store.append([ownMessage]);
  // Stored by another process.
  const otherStore = new OutboxStore(db, testSource);
  otherStore.publishThrough({ publish: () => undefined, republishAfterMs: 1 });
  await otherStore.append([otherMessage]);
  await eventually(() => {
    relay.wake();
    return claimed.includes(ownMessage.id) && bundles.flat().includes(otherMessage.id);
  });
  await relay.stop();
  expect(bundles.flat().filter((id) => id === ownMessage.id)).toHaveLength(1);
});

/** The statuses of a connection that was lost and restored. */
async function* reconnecting(): AsyncGenerator<{ readonly type: string }> {
  yield { type: Events.Disconnect };
  yield { type: Events.Reconnect };
  await new Promise(() => undefined);
}

/** The statuses of a connection that is never lost. */
async function* endless(): AsyncGenerator<{ readonly type: string }> {
  await new Promise(() => undefined);
}
