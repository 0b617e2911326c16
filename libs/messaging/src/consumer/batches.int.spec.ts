import { describe, expect, it } from '@jest/globals';
import type { SystemMessage } from '@daycare/contracts/common';
import { AppError } from '@daycare/api';
import { eventually, testNatsUrl } from '@daycare/testing';
import { connectNats } from '../nats/connect-nats';
import { draft } from '../test-support/fixtures';
import { newGate } from '../test-support/gate';
import { publishBundle } from '../test-support/publish-bundle';
import { useMessaging } from '../test-support/use-messaging';
import type { BatchHandler } from './batch-handler';

describe('batches of messages', () => {
  const on = useMessaging();

  const publish = (...drafts: Parameters<typeof publishBundle>[2]) =>
    publishBundle(on.nats.connection, on.messaging.stream, drafts);
  const drafts = (count: number) =>
    Array.from({ length: count }, (_, index) => draft(`lane${index}`));
  const idsOf = (some: readonly { readonly id: string }[]) => some.map(({ id }) => id).sort();
  /** The inbox, with some of its methods replaced. */
  const inboxWith = (replaced: Partial<BatchHandler<SystemMessage>>): BatchHandler => {
    const { prepare, store, findHandled } = on.messaging.inbox;
    return { prepare, store, findHandled, ...replaced };
  };
  const storedIds = async () => (await on.messaging.inbox.ids()).sort();

  it('stores messages that arrive during a batch together in the next one', async () => {
    const gate = newGate();
    const sizes: number[] = [];
    let underWay = 0;
    let maxUnderWay = 0;
    const { inbox } = on.messaging;
    on.messaging.consumer({
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
    const relay = on.messaging.relay({ republishAfterMs: 5_000 });
    const [first, ...others] = drafts(20);
    await on.messaging.send(relay, [first!]);
    await eventually(() => sizes.length === 1);
    for (const other of others) await on.messaging.send(relay, [other]);
    await eventually(async () => (await on.countInStream()) === 20);
    gate.open();
    await eventually(async () => (await on.messaging.countOpen()) === 0);
    expect(maxUnderWay).toBe(1);
    expect(sizes[0]).toBe(1);
    expect(sizes.length).toBeLessThan(8);
  });

  it('neither acknowledges a message nor sends its receipt before it is stored', async () => {
    const gate = newGate();
    let isStoring = false;
    const { inbox } = on.messaging;
    on.messaging.consumer({
      handler: inboxWith({
        async store(messages) {
          isStoring = true;
          await gate.opened;
          await inbox.store(messages);
        },
      }),
    });
    const relay = on.messaging.relay({ republishAfterMs: 5_000 });
    const message = draft('lane');
    await on.messaging.send(relay, [message]);
    await eventually(() => isStoring);
    await on.nats.connection.flush();
    expect(await on.countInStream()).toBe(1);
    expect(await relay.outbox.status(message.id)).toMatchObject({ state: 'accepted' });
    gate.open();
    await on.untilState(message.id, 'delivered');
    await eventually(async () => (await on.countInStream()) === 0);
  });

  it('stores the other messages of a bundle when one can never be handled', async () => {
    const [poison, ...others] = drafts(6);
    on.messaging.consumer({
      handler: inboxWith({
        prepare: async (received) =>
          received.map(({ message }) => (message.id === poison!.id ? new Error('a bug') : message)),
      }),
    });
    await publish(...others.slice(0, 2), poison!, ...others.slice(2));
    await eventually(() => on.messaging.inbox.buried.length === 1);
    expect(await storedIds()).toEqual(idsOf(others));
    expect(on.messaging.inbox.buried).toMatchObject([{ id: poison!.id, code: 'INTERNAL' }]);
    await eventually(async () => (await on.countInStream()) === 0);
  });

  it.each(['prepare', 'store'] as const)(
    'finds the message that makes %s fail for the whole batch, and stores the others',
    async (step) => {
      const [poison, ...others] = drafts(6);
      const { inbox } = on.messaging;
      let tries = 0;
      const failWith = (messages: readonly SystemMessage[]): void => {
        if (!messages.some(({ id }) => id === poison!.id)) return;
        if (messages.length === 1) tries += 1;
        throw new Error('a bug');
      };
      on.messaging.consumer({
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

  it('stores a batch once, even if the outcome of earlier attempts is unknown', async () => {
    const messages = drafts(10);
    const { inbox } = on.messaging;
    let failures = 0;
    on.messaging.consumer({
      handler: inboxWith({
        async store(plans) {
          // The first time nothing is stored, the second time everything.
          if (++failures > 1) await inbox.store(plans);
          if (failures <= 2) throw new AppError('UNAVAILABLE', 'connection lost');
        },
      }),
    });
    await publish(...messages);
    await eventually(async () => (await on.countInStream()) === 0);
    expect(await storedIds()).toEqual(idsOf(messages));
    expect(inbox.buried).toEqual([]);
  });

  it('stores a batch once when its process died in the middle of it', async () => {
    const messages = drafts(10);
    const { inbox, log } = on.messaging;
    const dying = await connectNats({ url: testNatsUrl(), name: 'dying', logger: log });
    on.messaging.consumer({
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
    expect(await on.messaging.inbox.ids()).toHaveLength(4);
    on.messaging.consumer();
    await eventually(async () => (await on.countInStream()) === 0);
    expect(await storedIds()).toEqual(idsOf(messages));
  });

  it('stores a message only once if it appears twice in a batch', async () => {
    const [first, second] = drafts(2);
    await publish(first!, second!, first!);
    await publish(second!, first!);
    on.messaging.consumer();
    await eventually(async () => (await on.countInStream()) === 0);
    expect(await storedIds()).toEqual(idsOf([first!, second!]));
  });
});
