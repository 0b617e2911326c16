import { describe, expect, it } from '@jest/globals';
import type { SystemMessage } from '@daycare/contracts/common';
import { AppError } from '@daycare/api';
import { eventually, testNatsUrl } from '@daycare/testing';
import { connectNats } from '../nats/connect-nats';
import { draft } from '../test-support/fixtures';
import { publishBundle } from '../test-support/publish-bundle';
import { useMessaging } from '../test-support/use-messaging';
import type { BatchHandler } from './batch-handler';

describe('a consumer with a batch handler', () => {
  const stage = useMessaging();

  const publish = (...drafts: Parameters<typeof publishBundle>[2]) =>
    publishBundle(stage.nats.connection, stage.messaging.stream, drafts);
  const drafts = (count: number) =>
    Array.from({ length: count }, (_, index) => draft(`lane${index}`));
  const idsOf = (messages: readonly { readonly id: string }[]) =>
    messages.map(({ id }) => id).sort();
  /** The inbox, with some of its methods replaced. */
  const inboxWith = (replaced: Partial<BatchHandler<SystemMessage>>): BatchHandler => {
    const { prepare, store, findHandled } = stage.messaging.inbox;
    return { prepare, store, findHandled, ...replaced };
  };
  const storedIds = async () => (await stage.messaging.inbox.ids()).sort();

  it('stores one batch at a time, and puts messages that arrive in the meantime into later batches', async () => {
    const gate = stage.messaging.newGate();
    const sizes: number[] = [];
    let underWay = 0;
    let maxUnderWay = 0;
    const { inbox } = stage.messaging;
    stage.messaging.consumer({
      handler: inboxWith({
        async store(messages) {
          sizes.push(messages.length);
          maxUnderWay = Math.max(maxUnderWay, ++underWay);
          await gate.opened;
          await inbox.store(messages);
          underWay -= 1;
        },
      }),
    });
    const [first, ...others] = drafts(20);
    await publish(first!);
    await eventually(() => sizes.length === 1);
    for (const other of others) await publish(other);
    await eventually(async () => (await stage.countInStream()) === 20);
    gate.open();
    await eventually(async () => (await storedIds()).length === 20);
    expect(maxUnderWay).toBe(1);
    expect(sizes[0]).toBe(1);
    expect(sizes.length).toBeLessThan(8);
  });

  it('neither acknowledges a message nor sends its receipt before the message is stored', async () => {
    const gate = stage.messaging.newGate();
    let isStoring = false;
    const { inbox } = stage.messaging;
    stage.messaging.consumer({
      handler: inboxWith({
        async store(messages) {
          isStoring = true;
          await gate.opened;
          await inbox.store(messages);
        },
      }),
    });
    const relay = stage.messaging.relay({ republishAfterMs: 5_000 });
    const message = draft('lane');
    await stage.messaging.send(relay, [message]);
    await eventually(() => isStoring);
    await stage.nats.connection.flush();
    expect(await stage.countInStream()).toBe(1);
    expect(await relay.outbox.status(message.id)).toMatchObject({ state: 'accepted' });
    gate.open();
    await stage.untilState(message.id, 'delivered');
    await eventually(async () => (await stage.countInStream()) === 0);
  });

  it('stores the other messages of a bundle when one can never be handled', async () => {
    const [poison, ...others] = drafts(6);
    stage.messaging.consumer({
      handler: inboxWith({
        prepare: async (received) =>
          received.map(({ message }) => (message.id === poison!.id ? new Error('a bug') : message)),
      }),
    });
    await publish(...others.slice(0, 2), poison!, ...others.slice(2));
    await eventually(() => stage.messaging.inbox.buried.length === 1);
    expect(await storedIds()).toEqual(idsOf(others));
    expect(stage.messaging.inbox.buried).toMatchObject([{ id: poison!.id, code: 'INTERNAL' }]);
    await eventually(async () => (await stage.countInStream()) === 0);
  });

  it.each(['prepare', 'store'] as const)(
    'isolates the message that makes %s fail for the whole batch, and stores the others',
    async (step) => {
      const [poison, ...others] = drafts(6);
      const { inbox } = stage.messaging;
      let tries = 0;
      const failWith = (messages: readonly SystemMessage[]): void => {
        if (!messages.some(({ id }) => id === poison!.id)) return;
        if (messages.length === 1) tries += 1;
        throw new Error('a bug');
      };
      stage.messaging.consumer({
        handler: inboxWith({
          async prepare(received) {
            if (step === 'prepare') failWith(received.map(({ message }) => message));
            return inbox.prepare(received);
          },
          async store(messages) {
            if (step === 'store') failWith(messages);
            await inbox.store(messages);
          },
        }),
      });
      await publish(...others.slice(0, 2), poison!, ...others.slice(2));
      await eventually(() => inbox.buried.length === 1);
      expect(await storedIds()).toEqual(idsOf(others));
      expect(tries).toBe(5);
    },
  );

  it('stores a batch only once, even if the outcome of earlier attempts is unknown', async () => {
    const messages = drafts(10);
    const { inbox } = stage.messaging;
    let attempts = 0;
    stage.messaging.consumer({
      handler: inboxWith({
        async store(plans) {
          // The first attempt stores nothing, the second everything; both report a failure.
          if (++attempts > 1) await inbox.store(plans);
          if (attempts <= 2) throw new AppError('UNAVAILABLE', 'connection lost');
        },
      }),
    });
    await publish(...messages);
    await eventually(async () => (await stage.countInStream()) === 0);
    expect(await storedIds()).toEqual(idsOf(messages));
    expect(inbox.buried).toEqual([]);
  });

  it('stores each message in a batch exactly once, even if the consumer dies halfway through storing the batch', async () => {
    const messages = drafts(10);
    const { inbox, log } = stage.messaging;
    const dying = await connectNats({ url: testNatsUrl(), name: 'dying', logger: log });
    stage.messaging.consumer({
      connection: dying.connection,
      handler: inboxWith({
        async store(plans) {
          await inbox.store(plans.slice(0, 4));
          await dying.connection.close();
          throw new AppError('UNAVAILABLE', 'killed');
        },
      }),
    });
    await publish(...messages);
    await dying.connection.closed();
    expect(await stage.messaging.inbox.ids()).toHaveLength(4);
    stage.messaging.consumer();
    await eventually(async () => (await stage.countInStream()) === 0);
    expect(await storedIds()).toEqual(idsOf(messages));
  });

  it('stores a message only once if it appears twice in a batch', async () => {
    const [first, second] = drafts(2);
    await publish(first!, second!, first!);
    await publish(second!, first!);
    stage.messaging.consumer();
    await eventually(async () => (await stage.countInStream()) === 0);
    expect(await storedIds()).toEqual(idsOf([first!, second!]));
  });
});
