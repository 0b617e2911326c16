import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ensureIndexes, type MongoConnection } from '@daycare/mongo';
import { testDatabase, uniqueName } from '@daycare/testing';
import { OutboxQueue } from './outbox-queue';
import { outboxIndexes, type OutboxRow } from './outbox-row';
import { OutboxStore } from './outbox-store';
import { draft, testSource } from './test-support/test-parts';

describe('OutboxStore', () => {
  let mongo: MongoConnection;
  let store: OutboxStore;
  let queue: OutboxQueue;
  let lane: string;

  beforeAll(async () => {
    mongo = await testDatabase('outbox');
    await ensureIndexes(mongo.db, outboxIndexes);
    store = new OutboxStore(mongo.db, testSource);
    queue = new OutboxQueue(mongo.db, {
      republishAfterMs: 15_000,
      maxRepublishAfterMs: 60_000,
      receiptTtlMs: 60_000,
    });
  });
  afterAll(() => mongo.close());
  beforeEach(() => {
    lane = uniqueName('lane');
  });

  const idsInLane = async (): Promise<string[]> => {
    const rows = await mongo.db
      .collection<OutboxRow>('outbox')
      .find({ lane })
      .sort({ seq: 1 })
      .toArray();
    return rows.map(({ _id }) => _id);
  };
  const inTransaction = <T>(work: (session: Parameters<typeof store.append>[1]) => Promise<T>) =>
    mongo.client.withSession((session) => session.withTransaction(() => work(session)));

  it('keeps the order of acceptance, one by one and in one call', async () => {
    const drafts = Array.from({ length: 6 }, () => draft(lane));
    for (const single of drafts.slice(0, 3)) await store.append([single]);
    await store.append(drafts.slice(3));
    expect(await idsInLane()).toEqual(drafts.map(({ id }) => id));
  });

  it('takes many messages for one lane at the same moment', async () => {
    const drafts = Array.from({ length: 60 }, () => draft(lane));
    const [last] = [draft(lane)];
    await Promise.all(drafts.map((one) => store.append([one])));
    await store.append([last]);
    const ids = await idsInLane();
    expect(ids).toHaveLength(61);
    expect(ids.at(-1)).toBe(last.id);
  });

  it('takes an id once, whether its row waits, was receipted or comes twice in one call', async () => {
    const first = draft(lane);
    const second = draft(lane);
    const retried = { ...first, text: 'another text' };
    expect(await store.append([first])).toEqual([{ id: first.id, outcome: 'accepted' }]);
    expect(await store.append([retried])).toEqual([{ id: first.id, outcome: 'duplicate' }]);
    await queue.settle([{ id: first.id, outcome: 'delivered' }], new Date());
    expect(await store.append([retried, second, second])).toEqual([
      { id: first.id, outcome: 'duplicate' },
      { id: second.id, outcome: 'accepted' },
      { id: second.id, outcome: 'duplicate' },
    ]);
    expect(await idsInLane()).toEqual([second.id]);
  });

  it('takes an id once when ten retries come at the same moment', async () => {
    const only = draft(lane);
    const results = await Promise.all(Array.from({ length: 10 }, () => store.append([only])));
    expect(results.flat().filter(({ outcome }) => outcome === 'accepted')).toHaveLength(1);
    expect(await idsInLane()).toEqual([only.id]);
  });

  it('stores a message with the change it tells of, or neither', async () => {
    const changes = mongo.db.collection<{ _id: string }>('changes');
    const change = async (one: ReturnType<typeof draft>, fails: boolean) =>
      inTransaction(async (session) => {
        await changes.insertOne({ _id: one.id }, session ? { session } : {});
        await store.append([one], session);
        if (fails) throw new Error('changed my mind');
      });
    const [kept, dropped] = [draft(lane), draft(lane)];
    await change(kept, false);
    await expect(change(dropped, true)).rejects.toThrow('changed my mind');
    expect(await idsInLane()).toEqual([kept.id]);
    expect(await changes.countDocuments({ _id: { $in: [kept.id, dropped.id] } })).toBe(1);
  });

  it('ends a transaction that lost a race with CONFLICT or leaves it to be run again', async () => {
    const shared = draft(lane);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 5 }, () => inTransaction((session) => store.append([shared], session))),
    );
    const refusals = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    for (const refusal of refusals) expect(refusal).toMatchObject({ code: 'CONFLICT' });
    expect(await idsInLane()).toEqual([shared.id]);
    const [again] = await inTransaction((session) => store.append([shared], session));
    expect(again?.outcome).toBe('duplicate');
  });

  it('tells what became of a message and who sent it', async () => {
    const [waiting, delivered, dead] = [draft(lane), draft(lane), draft(lane)];
    await store.append([waiting, delivered, dead]);
    const at = new Date();
    await queue.settle([{ id: delivered.id, outcome: 'delivered' }], at);
    await queue.settle([{ id: dead.id, outcome: 'dead', reason: 'no such user' }], at);
    await queue.settle([{ id: dead.id, outcome: 'delivered' }], new Date());
    const senderUserId = 'alice';
    expect(await store.status(waiting.id)).toMatchObject({ state: 'accepted', senderUserId });
    expect(await store.status(delivered.id)).toMatchObject({
      state: 'delivered',
      senderUserId,
      at,
    });
    expect(await store.status(dead.id)).toMatchObject({
      state: 'dead',
      senderUserId,
      at,
      reason: 'no such user',
    });
    expect(await store.status('never-heard-of')).toEqual({ state: 'unknown' });
  });

  it('erases the text with the row', async () => {
    const secret = draft(lane, 'a secret');
    await store.append([secret]);
    await queue.settle([{ id: secret.id, outcome: 'delivered' }], new Date());
    const receipt = await mongo.db
      .collection<{ _id: string }>('outbox_receipts')
      .findOne({ _id: secret.id });
    expect(Object.keys(receipt ?? {}).sort()).toEqual([
      '_id',
      'acceptedAt',
      'at',
      'expiresAt',
      'outcome',
      'senderUserId',
    ]);
  });

  it('says how much waits and since when', async () => {
    const before = await store.backlog();
    await store.append([draft(lane)]);
    const after = await store.backlog();
    expect(after.rows).toBe(before.rows + 1);
    expect(after.oldestAcceptedAt).toBeInstanceOf(Date);
  });

  it.each([
    ['an id that cannot be part of a subject', { id: 'a.b' }, 'id must be'],
    ['no lane', { lane: '' }, 'lane is required'],
    ['no recipient', { recipient: { userId: '' } }, 'recipient is required'],
    ['more than NATS takes', { text: 'x'.repeat(800 * 1024) }, 'too large'],
  ])('refuses %s', async (_, wrong, complaint) => {
    await expect(store.append([{ ...draft(lane), ...wrong }])).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringContaining(complaint),
    });
  });
});
