import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { MongoConnection } from '@daycare/mongo';
import { uniqueName } from '@daycare/testing';
import type { MessageDraft } from './rows/message-draft';
import type { OutboxSource } from './outbox-source';
import type { OutboxStore } from './outbox-store';
import { draft } from '../test-support/fixtures';
import { openTestOutbox } from '../test-support/test-outbox';

const dead = { state: 'dead', reason: 'no longer allowed' };
const everythingDue = { now: new Date(Date.now() + 3_600_000), republishBefore: new Date(0) };

describe('when a tie or a share ends', () => {
  let mongo: MongoConnection;
  let store: OutboxStore;
  let source: OutboxSource;
  let id: string;

  beforeAll(async () => {
    ({ mongo, store, source } = await openTestOutbox('endings'));
  });
  afterAll(() => mongo.close());
  beforeEach(() => {
    id = uniqueName('tie');
  });

  const send = async (version: number, subuserId = ''): Promise<string> => {
    const message: MessageDraft = { ...draft(`${id} lane`), tie: { id, version, subuserId } };
    await store.append([message]);
    return message.id;
  };
  const settle = (messageId: string, outcome: 'delivered' | 'dead') =>
    source.settle([{ id: messageId, outcome }], new Date());

  it('the messages that lower versions of the tie allowed also end, and no others do', async () => {
    const [old, older] = [await send(4), await send(2, 'helper')];
    const untied = draft(`${id} other`);
    await store.append([untied]);
    const current = await send(5);
    await store.endTie({ id, version: 5 });
    expect(await store.status(old)).toMatchObject(dead);
    expect(await store.status(older)).toMatchObject(dead);
    expect(await store.status(current)).toMatchObject({ state: 'accepted' });
    expect(await store.status(untied.id)).toMatchObject({ state: 'accepted' });
  });

  it('the end of a share also ends the messages of its subuser, and no others', async () => {
    const [helper, cook, direct] = [await send(3, 'helper'), await send(3, 'cook'), await send(3)];
    await store.endTie({ id, version: 4, subuserId: 'helper' });
    expect(await store.status(helper)).toMatchObject(dead);
    expect(await store.status(cook)).toMatchObject({ state: 'accepted' });
    expect(await store.status(direct)).toMatchObject({ state: 'accepted' });
  });

  it('messages that ended with their tie are not published again, and later messages do not wait for them', async () => {
    const ended = await send(1);
    await store.endTie({ id, version: 2 });
    const next = await send(2);
    const due = await source.claimDue(everythingDue, 10_000);
    expect(due.map((message) => message.id)).not.toContain(ended);
    expect(due.find((message) => message.id === next)?.predecessors).toEqual([]);
  });

  it('a late receipt corrects the status of an ended message, but not that of a dropped one', async () => {
    const delivered = await send(1);
    const dropped = await send(1);
    await store.endTie({ id, version: 2 });
    await settle(delivered, 'delivered');
    await settle(dropped, 'delivered');
    await store.markDropped([dropped]);
    await settle(dropped, 'delivered');
    expect(await store.status(delivered)).toMatchObject({ state: 'delivered' });
    expect(await store.status(dropped)).toMatchObject(dead);
  });

  it('a late receipt for a message whose tie has ended is accepted only from the service that the message was sent to', async () => {
    const ended = await send(1);
    await store.endTie({ id, version: 2 });
    const settleAs = (consumer: string) =>
      source.settle([{ id: ended, outcome: 'delivered', consumer }], new Date());
    expect(await settleAs('topology')).toMatchObject({ settled: 0 });
    expect(await store.status(ended)).toMatchObject(dead);
    expect(await settleAs('agent-runtime')).toMatchObject({ settled: 1 });
  });

  it('a message that is recorded as dropped stays dropped even if its receipt arrives later', async () => {
    const dropped = await send(1);
    await store.markDropped([dropped]);
    await settle(dropped, 'delivered');
    expect(await store.status(dropped)).toMatchObject(dead);
  });
});
