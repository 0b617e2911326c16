import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { MongoConnection } from '@daycare/mongo';
import { uniqueName } from '@daycare/testing';
import type { OutboxSource } from './outbox-source';
import type { OutboxRow } from './rows/outbox-row';
import type { OutboxStore } from './outbox-store';
import { draft } from '../test-support/fixtures';
import { openTestOutbox } from '../test-support/test-outbox';

describe('OutboxStore', () => {
  let mongo: MongoConnection;
  let store: OutboxStore;
  let source: OutboxSource;
  let lane: string;

  beforeAll(async () => {
    ({ mongo, store, source } = await openTestOutbox('outbox'));
  });
  afterAll(() => mongo.close());
  beforeEach(() => {
    lane = uniqueName('lane');
  });

  const idsInLane = async (): Promise<string[]> => {
    const rows = await mongo.db
      .collection<OutboxRow>('outbox')
      .find({ lane, open: true })
      .sort({ seq: 1 })
      .toArray();
    return rows.map(({ _id }) => _id);
  };
  const inTransaction = <T>(work: (session: Parameters<typeof store.append>[1]) => Promise<T>) =>
    mongo.client.withSession((session) => session.withTransaction(() => work(session)));

  it('keeps the order of acceptance within a call and across calls', async () => {
    const drafts = Array.from({ length: 6 }, () => draft(lane));
    for (const single of drafts.slice(0, 3)) await store.append([single]);
    await store.append(drafts.slice(3));
    expect(await idsInLane()).toEqual(drafts.map(({ id }) => id));
  });

  it('accepts many messages for one lane at the same time', async () => {
    const drafts = Array.from({ length: 60 }, () => draft(lane));
    const last = draft(lane);
    await Promise.all(drafts.map((message) => store.append([message])));
    await store.append([last]);
    const ids = await idsInLane();
    expect(ids).toHaveLength(61);
    expect(ids.at(-1)).toBe(last.id);
  });

  it('accepts an id only once, even if its message is pending, has a receipt or appears twice in one call', async () => {
    const first = draft(lane);
    const second = draft(lane);
    const retried = { ...first, text: 'other text' };
    expect(await store.append([first])).toEqual([{ id: first.id, outcome: 'accepted' }]);
    expect(await store.append([retried])).toEqual([{ id: first.id, outcome: 'duplicate' }]);
    await source.settle([{ id: first.id, outcome: 'delivered' }], new Date());
    expect(await store.append([retried, second, second])).toEqual([
      { id: first.id, outcome: 'duplicate' },
      { id: second.id, outcome: 'accepted' },
      { id: second.id, outcome: 'duplicate' },
    ]);
    expect(await idsInLane()).toEqual([second.id]);
  });

  it('accepts an id only once when it is sent ten times concurrently', async () => {
    const only = draft(lane);
    const results = await Promise.all(Array.from({ length: 10 }, () => store.append([only])));
    expect(results.flat().filter(({ outcome }) => outcome === 'accepted')).toHaveLength(1);
    expect(await idsInLane()).toEqual([only.id]);
  });

  it('stores a message together with the change it reports, or stores neither', async () => {
    const changes = mongo.db.collection<{ _id: string }>('changes');
    const change = async (message: ReturnType<typeof draft>, fails: boolean) =>
      inTransaction(async (session) => {
        await changes.insertOne({ _id: message.id }, session ? { session } : {});
        await store.append([message], session);
        if (fails) throw new Error('rolled back');
      });
    const [kept, dropped] = [draft(lane), draft(lane)];
    await change(kept, false);
    await expect(change(dropped, true)).rejects.toThrow('rolled back');
    expect(await idsInLane()).toEqual([kept.id]);
    expect(await changes.countDocuments({ _id: { $in: [kept.id, dropped.id] } })).toBe(1);
  });

  it('of concurrent transactions that append the same message, one stores it and the others report a duplicate', async () => {
    const shared = draft(lane);
    const results = await Promise.all(
      Array.from({ length: 5 }, () => inTransaction((session) => store.append([shared], session))),
    );
    const outcomes = results.flat().map(({ outcome }) => outcome);
    expect(outcomes.sort()).toEqual(['accepted', ...Array<string>(4).fill('duplicate')]);
    expect(await idsInLane()).toEqual([shared.id]);
  });

  it('returns a message’s state and sender', async () => {
    const [waiting, delivered, dead] = [draft(lane), draft(lane), draft(lane)];
    await store.append([waiting, delivered, dead]);
    const at = new Date();
    await source.settle([{ id: delivered.id, outcome: 'delivered' }], at);
    await source.settle([{ id: dead.id, outcome: 'dead', reason: 'no such user' }], at);
    await source.settle([{ id: dead.id, outcome: 'delivered' }], new Date());
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
    expect(await store.status('unknown-id')).toEqual({ state: 'unknown' });
  });

  it('keeps no text in the receipt', async () => {
    const secret = draft(lane, 'a secret');
    await store.append([secret]);
    await source.settle([{ id: secret.id, outcome: 'delivered' }], new Date());
    const receipt = await mongo.db.collection<OutboxRow>('outbox').findOne({ _id: secret.id });
    expect(Object.keys(receipt ?? {}).sort()).toEqual([
      '_id',
      'acceptedAt',
      'expiresAt',
      'lane',
      'open',
      'outcome',
      'senderUserId',
      'seq',
      'settledAt',
    ]);
  });

  it('reports the number of pending rows and when the oldest was accepted', async () => {
    const before = await source.backlog();
    await store.append([draft(lane)]);
    const after = await source.backlog();
    expect(after.rows).toBe(before.rows + 1);
    expect(after.oldestAcceptedAt).toBeInstanceOf(Date);
  });

  it.each([
    ['an id that cannot be part of a subject', { id: 'a.b' }, 'id must be'],
    ['a message without a lane', { lane: '' }, 'lane is required'],
    ['a message without a recipient', { recipient: { userId: '' } }, 'recipient is required'],
    ['a message larger than NATS accepts', { text: 'x'.repeat(800 * 1024) }, 'too large'],
  ])('rejects %s', async (_, wrong, complaint) => {
    await expect(store.append([{ ...draft(lane), ...wrong }])).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringContaining(complaint),
    });
  });
});
