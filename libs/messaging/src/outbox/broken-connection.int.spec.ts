import os from 'node:os';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ensureIndexes, type MongoConnection } from '@daycare/mongo';
import { startMongoProxy, testDatabase, uniqueName } from '@daycare/testing';
import type { WireProxy } from '@daycare/testing';
import { MongoClient, type Db } from 'mongodb';
import { draft, testSource } from '../test-support/fixtures';
import { BrokenSequenceError } from './message-sequence';
import type { OutgoingMessage } from './rows/message-source';
import { outboxIndexes, type OutboxRow } from './rows/outbox-row';
import { OutboxStore } from './outbox-store';

describe('an outbox that stores messages in batches', () => {
  let mongo: MongoConnection;
  let proxy: WireProxy;
  let client: MongoClient;
  let proxiedDb: Db;

  beforeEach(async () => {
    mongo = await testDatabase('broken');
    await ensureIndexes(mongo.db, outboxIndexes);
    proxy = await startMongoProxy();
    client = await MongoClient.connect(proxy.url, {
      // Otherwise the driver would retry the insert itself, and succeed.
      retryWrites: false,
      // Passed in because the driver would load it with import(), which Jest does not support.
      runtimeAdapters: { os },
    });
    proxiedDb = client.db(mongo.db.databaseName);
  });
  afterEach(async () => {
    await client.close();
    await proxy.close();
    await mongo.close();
  });

  it.each(['before', 'after'] as const)(
    'rejects every call with UNAVAILABLE when the connection breaks %s the insert, and stores each message once on retry',
    async (when) => {
      const store = new OutboxStore(proxiedDb, testSource);
      const published: OutgoingMessage[] = [];
      store.publishThrough({
        publish: (messages) => void published.push(...messages),
        republishAfterMs: 15_000,
      });
      const lanes = [uniqueName('a'), uniqueName('b')] as const;
      const drafts = Array.from({ length: 20 }, (_, index) => draft(lanes[index % 2]!, `${index}`));
      proxy.trap({ label: 'insert outbox', when }, () => undefined);
      const outcomes = await Promise.allSettled(drafts.map((message) => store.append([message])));
      for (const outcome of outcomes)
        expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'UNAVAILABLE' } });
      expect(published).toEqual([]);
      const again = await Promise.all(drafts.map((message) => store.append([message])));
      const expected = when === 'before' ? 'accepted' : 'duplicate';
      expect(new Set(again.flat().map(({ outcome }) => outcome))).toEqual(new Set([expected]));
      for (const [parity, lane] of lanes.entries()) {
        const rows = await mongo.db
          .collection<OutboxRow>('outbox')
          .find({ lane })
          .sort({ seq: 1 })
          .toArray();
        const sent = drafts.filter((_, index) => index % 2 === parity);
        expect(rows.map(({ _id }) => _id)).toEqual(sent.map(({ id }) => id));
        expect(rows.map(({ seq }) => seq)).toEqual(rows.map((_, index) => index + 1));
      }
    },
  );

  it.each(['before', 'after'] as const)(
    'when the connection breaks %s a message’s insert, stores none of the messages that wait behind it in the same sequence',
    async (when) => {
      const store = new OutboxStore(proxiedDb, testSource);
      const [lane, otherLane] = [uniqueName('a'), uniqueName('b')];
      const sequence = { isBroken: false };
      const [first, second, third] = [draft(lane), draft(lane), draft(lane)];
      const other = draft(otherLane);
      let waiting: Promise<PromiseSettledResult<unknown>[]> | undefined;
      // The others are appended while the first message's batch is in progress, so they belong to the next batch.
      proxy.trap({ label: 'insert outbox', when }, () => {
        const appends = [second, third].map((message) => store.appendTo(sequence, [message]));
        waiting = Promise.allSettled([...appends, store.append([other])]);
      });
      await expect(store.appendTo(sequence, [first])).rejects.toMatchObject({
        code: 'UNAVAILABLE',
      });
      const [secondResult, thirdResult, otherResult] = (await waiting)!;
      for (const result of [secondResult, thirdResult])
        expect(result).toEqual({ status: 'rejected', reason: expect.any(BrokenSequenceError) });
      expect(otherResult).toMatchObject({ status: 'fulfilled' });
      for (const message of [first, second, third]) await store.append([message]);
      const outbox = mongo.db.collection<OutboxRow>('outbox');
      const rows = await outbox.find({ lane }).sort({ seq: 1 }).toArray();
      expect(rows.map(({ _id }) => _id)).toEqual([first.id, second.id, third.id]);
    },
  );

  it('refuses only the oversized message in a batch', async () => {
    const store = new OutboxStore(mongo.db, testSource);
    const tooLarge = draft('lane', 'x'.repeat(800 * 1024));
    const others = Array.from({ length: 5 }, () => draft('lane'));
    const [refused, ...accepted] = await Promise.allSettled(
      [tooLarge, ...others].map((message) => store.append([message])),
    );
    expect(refused).toMatchObject({ status: 'rejected', reason: { code: 'INVALID_ARGUMENT' } });
    for (const outcome of accepted) expect(outcome.status).toBe('fulfilled');
  });

  it('accepts a batch with retried messages in at most six commands', async () => {
    const lane = uniqueName('lane');
    const store = new OutboxStore(proxiedDb, testSource);
    const drafts = Array.from({ length: 30 }, () => draft(lane));
    await Promise.all(drafts.slice(0, 20).map((message) => store.append([message])));
    proxy.record();
    const results = await Promise.all(drafts.map((message) => store.append([message])));
    const accepted = results.flat().filter(({ outcome }) => outcome === 'accepted');
    expect(accepted.map(({ id }) => id)).toEqual(drafts.slice(20).map(({ id }) => id));
    expect(proxy.steps().length).toBeLessThanOrEqual(6);
  });
});
