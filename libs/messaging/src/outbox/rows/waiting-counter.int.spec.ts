import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { MongoConnection } from '@daycare/mongo';
import { eventually, uniqueName } from '@daycare/testing';
import fc from 'fast-check';
import type { MessageDraft } from './message-draft';
import type { OutboxRow } from './outbox-row';
import type { OutboxSource } from '../outbox-source';
import { OutboxStore } from '../outbox-store';
import { draft, testSource } from '../../test-support/fixtures';
import { openTestOutbox } from '../../test-support/test-outbox';

const limit = 10;

describe('when messages wait in inboxes', () => {
  let mongo: MongoConnection;
  let source: OutboxSource;
  let store: OutboxStore;
  let tieId: string;
  /** The messages that are delivered but not handled, as the service with the inboxes knows them. */
  let inInboxes: Set<string>;
  let countCalls: number;
  let isDown: boolean;

  beforeAll(async () => {
    ({ mongo, source } = await openTestOutbox('waiting'));
  });
  afterAll(() => mongo.close());
  beforeEach(() => {
    tieId = uniqueName('tie');
    inInboxes = new Set();
    countCalls = 0;
    isDown = false;
    store = newReplica();
  });

  const newReplica = (): OutboxStore =>
    new OutboxStore(mongo.db, testSource, async (keys) => {
      countCalls += 1;
      if (isDown) throw new Error('down');
      return new Map(keys.map((key) => [key, inInboxes.size]));
    });
  const tiedDraft = (lane = 'lane', waiting = limit): MessageDraft => ({
    ...draft(`${tieId} ${lane}`),
    tie: { id: tieId, version: 1, subuserId: '' },
    limits: { perHour: 1_000_000, waiting },
  });
  const send = async (message: MessageDraft, replica = store): Promise<string> =>
    replica.append([message]).then(
      () => message.id,
      (error: unknown) => (error as { code: string }).code,
    );
  const deliver = async (ids: readonly string[]): Promise<void> => {
    for (const id of ids) inInboxes.add(id);
    await source.settle(
      ids.map((id) => ({ id, outcome: 'delivered' })),
      new Date(),
    );
  };
  const sendAndDeliver = async (count: number): Promise<void> => {
    for (let sent = 0; sent < count; sent += 1) await deliver([await send(tiedDraft())]);
  };

  it('waiting messages count towards the limit until they are handled, even if they have their receipts', async () => {
    await sendAndDeliver(limit);
    await expect(store.append([tiedDraft()])).rejects.toMatchObject({
      code: 'QUOTA_EXCEEDED',
      message: expect.stringMatching(/^10 messages .* waiting to be handled; try again after 20/),
      details: { quota: { description: 'messages waiting' }, retryAfterMs: 10_000 },
    });
    inInboxes.clear();
    await eventually(async () => (await send(tiedDraft())) !== 'QUOTA_EXCEEDED');
  });

  it('messages in inboxes count towards the same limit as those still being delivered', async () => {
    await sendAndDeliver(6);
    const sent = await Promise.all(Array.from({ length: 8 }, () => send(tiedDraft())));
    expect(sent.filter((id) => id === 'QUOTA_EXCEEDED')).toHaveLength(4);
  });

  it('waiting messages still count towards the limit when their receipts have expired', async () => {
    await sendAndDeliver(limit);
    await mongo.db.collection<OutboxRow>('outbox').deleteMany({ 'budget.key': `${tieId}/alice` });
    expect(await send(tiedDraft())).toBe('QUOTA_EXCEEDED');
  });

  it('waiting messages are rarely counted when each is handled immediately', async () => {
    for (let sent = 0; sent < 6 * limit; sent += 1) {
      await deliver([await send(tiedDraft())]);
      inInboxes.clear();
    }
    expect(countCalls).toBeLessThanOrEqual(7);
  });

  it('waiting messages are counted at most once a second for a sender who keeps sending', async () => {
    await sendAndDeliver(limit);
    countCalls = 0;
    const began = Date.now();
    for (let tries = 0; tries < 50; tries += 1)
      expect(await send(tiedDraft())).toBe('QUOTA_EXCEEDED');
    expect(countCalls).toBeLessThanOrEqual(1 + Math.ceil((Date.now() - began) / 1_000));
  });

  it('while the inboxes cannot be counted, undelivered messages still count towards the limit', async () => {
    isDown = true;
    for (let sent = 0; sent < limit; sent += 1)
      expect(await send(tiedDraft())).not.toBe('QUOTA_EXCEEDED');
    expect(await send(tiedDraft())).toBe('QUOTA_EXCEEDED');
    isDown = false;
  });

  it('a raised limit applies to the next message', async () => {
    await sendAndDeliver(limit);
    expect(await send(tiedDraft())).toBe('QUOTA_EXCEEDED');
    expect(await send(tiedDraft('lane', limit + 1))).not.toBe('QUOTA_EXCEEDED');
  });

  it('waiting messages never exceed the limit, whatever replicas, lanes and inboxes do concurrently', async () => {
    const step = fc.record({
      sends: fc.array(fc.nat({ max: 2 }), { maxLength: 8 }),
      delivers: fc.nat({ max: 12 }),
      handles: fc.nat({ max: 6 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 8 }), async (steps) => {
        tieId = uniqueName('tie');
        inInboxes = new Set();
        const replicas = [newReplica(), newReplica()];
        const open: string[] = [];
        for (const { sends, delivers, handles } of steps) {
          const sending = sends.map((lane, index) =>
            send(tiedDraft(`${lane}`), replicas[index % 2]),
          );
          await deliver(open.splice(0, delivers));
          for (const id of [...inInboxes].slice(0, handles)) inInboxes.delete(id);
          open.push(...(await Promise.all(sending)).filter((id) => id !== 'QUOTA_EXCEEDED'));
          expect(open.length + inInboxes.size).toBeLessThanOrEqual(limit);
        }
      }),
      { numRuns: 12 },
    );
  });
});
