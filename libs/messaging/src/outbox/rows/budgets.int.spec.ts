import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { MongoConnection } from '@daycare/mongo';
import { eventually, uniqueName } from '@daycare/testing';
import type { MessageDraft } from './message-draft';
import type { OutboxRow } from './outbox-row';
import type { OutboxSource } from '../outbox-source';
import { OutboxStore } from '../outbox-store';
import { draft, testSource } from '../../test-support/fixtures';
import { openTestOutbox } from '../../test-support/test-outbox';

const minuteMs = 60_000;

describe('when senders have budgets', () => {
  let mongo: MongoConnection;
  let store: OutboxStore;
  let source: OutboxSource;
  let tieId: string;

  beforeAll(async () => {
    ({ mongo, store, source } = await openTestOutbox('budgets'));
  });
  afterAll(() => mongo.close());
  beforeEach(() => {
    tieId = uniqueName('tie');
  });

  const limitedDraft = (
    perHour: number,
    waiting = 1_000,
    lane = `${tieId} lane`,
  ): MessageDraft => ({
    ...draft(lane),
    tie: { id: tieId, version: 1, subuserId: '' },
    limits: { perHour, waiting },
  });
  const rows = () => mongo.db.collection<OutboxRow>('outbox');
  const send = async (message: MessageDraft, replica = store): Promise<string> =>
    replica.append([message]).then(
      ([result]) => result?.outcome ?? '',
      (error: unknown) => (error as { code: string }).code,
    );
  const sendMany = async (count: number, newDraft: () => MessageDraft, replica = store) =>
    Promise.all(Array.from({ length: count }, () => send(newDraft(), replica)));
  const count = (outcomes: readonly string[], wanted: string) =>
    outcomes.filter((outcome) => outcome === wanted).length;
  /**
   * Moves the start of the sender's hour to this time; expects the next message to begin a new hour, in which three
   * messages are accepted.
   */
  const expectNewHour = async (hourFrom: Date): Promise<void> => {
    await rows().updateMany({ 'tie.id': tieId }, { $set: { 'budget.hourFrom': hourFrom } });
    const accepted = Array.from({ length: 3 }, () => 'accepted');
    // Another replica, because `store` remembers what it has stored and would not notice the change.
    const other = new OutboxStore(mongo.db, testSource);
    expect(await sendMany(4, () => limitedDraft(3), other)).toEqual([
      ...accepted,
      'QUOTA_EXCEEDED',
    ]);
  };

  it('the refusal at the hourly limit says when to try again', async () => {
    const outcomes = await sendMany(5, () => limitedDraft(3));
    expect(outcomes).toEqual([
      'accepted',
      'accepted',
      'accepted',
      'QUOTA_EXCEEDED',
      'QUOTA_EXCEEDED',
    ]);
    const refusal = store.append([limitedDraft(3)]);
    await expect(refusal).rejects.toMatchObject({
      message: expect.stringMatching(/limit of 3 messages per hour.*try again after 20.*Z$/),
      details: { quota: { description: 'messages per hour' }, retryAfterMs: expect.any(Number) },
    });
  });

  it('a sender may send again an hour after the first message', async () => {
    await sendMany(3, () => limitedDraft(3));
    expect(await send(limitedDraft(3))).toBe('QUOTA_EXCEEDED');
    const hourFrom = new Date(Date.now() - 61 * minuteMs);
    await expectNewHour(hourFrom);
  });

  it('a sender is not blocked if a wrong clock set the start of the sender’s hour to a time in the future', async () => {
    await sendMany(3, () => limitedDraft(3));
    const hourFrom = new Date(Date.now() + 24 * 60 * minuteMs);
    await expectNewHour(hourFrom);
  });

  it('messages in different lanes of a tie share a budget, which messages from the other side do not use', async () => {
    const lanes = ['a', 'b', 'c'].map((name) => `${tieId} ${name}`);
    const outcomes = await Promise.all(
      lanes.flatMap((lane) => [0, 1].map(() => send(limitedDraft(4, 1_000, lane)))),
    );
    expect(count(outcomes, 'accepted')).toBe(4);
    expect(await send({ ...limitedDraft(4), senderUserId: 'bob' })).toBe('accepted');
  });

  it('replicas that accept messages at the same time do not exceed the limit together', async () => {
    const other = new OutboxStore(mongo.db, testSource);
    const lanes = ['a', 'b'].map((name) => `${tieId} ${name}`);
    const outcomes = await Promise.all(
      [store, other].map((replica, index) =>
        sendMany(40, () => limitedDraft(50, 1_000, lanes[index]), replica),
      ),
    );
    expect(count(outcomes.flat(), 'accepted')).toBe(50);
    expect(count(outcomes.flat(), 'QUOTA_EXCEEDED')).toBe(30);
  });

  it('a retry of an accepted message succeeds even if the budget is used up', async () => {
    const first = limitedDraft(2);
    await send(first);
    await send(limitedDraft(2));
    expect(await send(limitedDraft(2))).toBe('QUOTA_EXCEEDED');
    expect(await send(first)).toBe('duplicate');
  });

  it('messages beyond the limit on waiting messages are refused until some waiting messages have their receipts', async () => {
    const sent = Array.from({ length: 5 }, () => limitedDraft(1_000, 5));
    for (const message of sent) expect(await send(message)).toBe('accepted');
    await expect(store.append([limitedDraft(1_000, 5)])).rejects.toMatchObject({
      code: 'QUOTA_EXCEEDED',
      message: expect.stringMatching(/^5 messages .* waiting to be handled; try again after 20/),
    });
    const delivered = sent.slice(0, 2).map(({ id }) => ({ id, outcome: 'delivered' as const }));
    await source.settle(delivered, new Date());
    await eventually(async () => (await send(limitedDraft(1_000, 5))) === 'accepted');
    expect(await send(limitedDraft(1_000, 5))).toBe('accepted');
    expect(await send(limitedDraft(1_000, 5))).toBe('QUOTA_EXCEEDED');
  });

  it('messages sent in quick succession are not refused as long as they are delivered', async () => {
    for (let sent = 0; sent < 12; sent += 1) {
      const [before, next] = [limitedDraft(1_000, 3), limitedDraft(1_000, 3)];
      expect([await send(before), await send(next)]).toEqual(['accepted', 'accepted']);
      await source.settle([{ id: before.id, outcome: 'delivered' }], new Date());
      if (sent % 3 === 2)
        await source.settle(
          (await rows().find({ 'tie.id': tieId, open: true }).toArray())
            .slice(0, -1)
            .map(({ _id: id }) => ({ id, outcome: 'delivered' })),
          new Date(),
        );
      else await source.settle([{ id: next.id, outcome: 'delivered' }], new Date());
    }
  });

  it('a message without a tie has no budget', async () => {
    const { tie: _, ...untied } = limitedDraft(1);
    const outcomes = await Promise.all(
      [1, 2, 3].map((n) => send({ ...untied, id: `${tieId}${n}` })),
    );
    expect(outcomes).toEqual(['accepted', 'accepted', 'accepted']);
  });

  it('the newest message of a budget is found without reading the others', async () => {
    await sendMany(300, () => limitedDraft(10_000));
    const plan = await rows()
      .find({ 'budget.key': `${tieId}/alice` })
      .sort({ 'budget.key': 1, 'budget.number': -1 })
      .limit(1)
      .explain('executionStats');
    expect(plan['executionStats']).toMatchObject({ totalKeysExamined: 1 });
  });
});
