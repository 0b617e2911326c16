import os from 'node:os';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ensureIndexes, type MongoConnection } from '@daycare/mongo';
import { startMongoProxy, testDatabase, uniqueName, type WireProxy } from '@daycare/testing';
import { MongoClient, type Db } from 'mongodb';
import { draft, testSource } from '../../test-support/fixtures';
import { OutboxSource } from '../outbox-source';
import { OutboxStore } from '../outbox-store';
import type { MessageDraft } from './message-draft';
import { outboxIndexes, type OutboxRow } from './outbox-row';

const timing = { republishAfterMs: 15_000, maxRepublishAfterMs: 60_000, receiptTtlMs: 60_000 };
const delivered = 'delivered' as const;

describe('in an outbox that remembers the ends of its lanes', () => {
  let directMongo: MongoConnection;
  let client: MongoClient;
  let proxiedDb: Db;
  let proxy: WireProxy;
  let store: OutboxStore;
  let source: OutboxSource;
  let lane: string;

  beforeAll(async () => {
    directMongo = await testDatabase('known-tails');
    await ensureIndexes(directMongo.db, outboxIndexes);
    proxy = await startMongoProxy();
    client = await MongoClient.connect(proxy.url, {
      // So that a single broken connection makes the call fail.
      retryWrites: false,
      // Passed in because the driver would load it with import(), which Jest does not support.
      runtimeAdapters: { os },
    });
    proxiedDb = client.db(directMongo.db.databaseName);
  });
  afterAll(async () => {
    await client.close();
    await proxy.close();
    await directMongo.close();
  });
  beforeEach(() => {
    store = new OutboxStore(proxiedDb, testSource);
    source = new OutboxSource(
      directMongo.db,
      timing,
      () => true,
      (ids) => store.noteReceipts(ids),
    );
    lane = uniqueName('lane');
  });

  const tiedDraft = (version: number, perHour = 1_000): MessageDraft => ({
    ...draft(lane),
    tie: { id: lane, version, subuserId: '' },
    limits: { perHour, waiting: 1_000_000 },
  });
  const rows = () => directMongo.db.collection<OutboxRow>('outbox').find({ lane }).sort({ seq: 1 });
  /** The MongoDB commands that an append takes. */
  const stepsOf = async (message: MessageDraft): Promise<readonly string[]> => {
    proxy.record();
    await store.append([message]);
    return proxy.steps();
  };
  const predecessorsOf = async ({ id }: MessageDraft): Promise<unknown> => {
    const row = await directMongo.db.collection<OutboxRow>('outbox').findOne({ _id: id });
    return row?.open && row.predecessors;
  };

  it('storing a message takes one command if this process stored the one before it', async () => {
    expect(await stepsOf(tiedDraft(1))).toContain('aggregate outbox');
    const second = tiedDraft(1);
    expect(await stepsOf(second)).toEqual(['insert outbox']);
    const [first, ...others] = await rows().toArray();
    expect(others.map(({ seq }) => seq)).toEqual([2]);
    expect(await predecessorsOf(second)).toEqual([first?._id]);
    expect(others[0]?.budget).toMatchObject({ number: 2, usedInHour: 2 });
  });

  it('a message does not name a remembered predecessor that has its receipt', async () => {
    const [first, second] = [tiedDraft(1), tiedDraft(1)];
    await store.append([first]);
    await source.settle([{ id: first.id, outcome: delivered }], new Date());
    expect(await stepsOf(second)).toEqual(['insert outbox']);
    expect(await predecessorsOf(second)).toEqual([]);
  });

  it('a receipt from a service that does not consume the message is ignored', async () => {
    const [first, second] = [tiedDraft(1), tiedDraft(1)];
    await store.append([first]);
    await source.settle([{ id: first.id, outcome: delivered, consumer: 'topology' }], new Date());
    await store.append([second]);
    expect(await predecessorsOf(second)).toEqual([first.id]);
  });

  it('the end of the lane is looked up for a message that requires a different version of the tie than the remembered message', async () => {
    const [first, second] = [tiedDraft(1), tiedDraft(3)];
    await store.append([first]);
    // Another replica ends the messages that this version of the tie allowed; they will never be delivered.
    await new OutboxStore(directMongo.db, testSource).endTie({ id: lane, version: 2 });
    expect(await stepsOf(second)).toEqual(['aggregate outbox', 'insert outbox']);
    expect(await predecessorsOf(second)).toEqual([]);
  });

  it('the end of the lane is looked up for a message for a service, and for the message after it', async () => {
    const forService = (): MessageDraft => ({
      ...draft(lane),
      recipient: { userId: 'bob', target: { $case: 'service', value: 'topology' } },
    });
    await store.append([forService()]);
    expect(await stepsOf(forService())).toEqual(['aggregate outbox', 'insert outbox']);
    // A message for agents in the same lane needs a look-up as well, because the one before was not remembered.
    expect(await stepsOf(draft(lane))).toEqual(['aggregate outbox', 'insert outbox']);
    expect(await stepsOf(forService())).toEqual(['aggregate outbox', 'insert outbox']);
  });

  it('another replica’s rows are noticed when the index refuses an insert, and lanes are then looked up for a while', async () => {
    const other = new OutboxStore(directMongo.db, testSource);
    await store.append([tiedDraft(1)]);
    const [second, third, fourth] = [tiedDraft(1), tiedDraft(1), tiedDraft(1)];
    await other.append([second]);
    const steps = await stepsOf(third);
    expect(steps).toEqual(['insert outbox', 'aggregate outbox', 'insert outbox']);
    expect(await predecessorsOf(third)).toEqual([second.id]);
    expect(await stepsOf(fourth)).toEqual(['aggregate outbox', 'insert outbox']);
    expect((await rows().toArray()).map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
  });

  it('a lane that a transaction has appended to is looked up, while other lanes are still remembered', async () => {
    const other = { ...draft(lane), lane: uniqueName('lane') };
    await store.append([draft(lane)]);
    await store.append([other]);
    const [second, third] = [draft(lane), draft(lane)];
    await client.withSession((session) =>
      session.withTransaction(async () => void (await store.append([second], session))),
    );
    expect(await stepsOf(third)).toEqual(['aggregate outbox', 'insert outbox']);
    expect(await predecessorsOf(third)).toEqual([second.id]);
    expect(await stepsOf({ ...draft(lane), lane: other.lane })).toEqual(['insert outbox']);
  });

  it('another replica’s use of a budget is noticed when the index refuses an insert', async () => {
    const other = new OutboxStore(directMongo.db, testSource);
    await store.append([tiedDraft(1, 3)]);
    const elsewhere = { ...tiedDraft(1, 3), lane: uniqueName('lane') };
    await other.append([elsewhere]);
    await other.append([{ ...tiedDraft(1, 3), lane: elsewhere.lane }]);
    await expect(store.append([tiedDraft(1, 3)])).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' });
  });

  it.each(['before', 'after'] as const)(
    'a message is stored once, and its lane remains one chain, when the connection breaks %s its insert',
    async (when) => {
      const [first, lost, last] = [tiedDraft(1), tiedDraft(1), tiedDraft(1)];
      await store.append([first]);
      proxy.trap({ label: 'insert outbox', when }, () => undefined);
      await expect(store.append([lost])).rejects.toMatchObject({ code: 'UNAVAILABLE' });
      await store.append([last]);
      await store.append([lost]);
      const stored = await rows().toArray();
      const order = when === 'before' ? [first, last, lost] : [first, lost, last];
      expect(stored.map(({ _id }) => _id)).toEqual(order.map(({ id }) => id));
      expect(stored.map(({ seq }) => seq)).toEqual([1, 2, 3]);
      for (const [index, row] of stored.entries())
        expect(row).toMatchObject({ predecessors: index === 0 ? [] : [stored[index - 1]!._id] });
    },
  );

  it('a retried message is stored once and gets no second position in its lane', async () => {
    const [first, second] = [tiedDraft(1), tiedDraft(1)];
    await store.append([first]);
    expect(await store.append([first])).toEqual([{ id: first.id, outcome: 'duplicate' }]);
    await store.append([second]);
    expect((await rows().toArray()).map(({ _id }) => _id)).toEqual([first.id, second.id]);
  });
});
