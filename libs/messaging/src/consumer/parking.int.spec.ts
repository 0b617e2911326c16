import { describe, expect, it } from '@jest/globals';
import { AppError } from '@daycare/api';
import { eventually } from '@daycare/testing';
import { ensureSystemStream, manageJetStream } from '../nats/ensure-stream';
import { draft } from '../test-support/fixtures';
import { publishBundle } from '../test-support/publish-bundle';
import { useMessaging } from '../test-support/use-messaging';
import type { BatchHandler } from './batch-handler';
import { consumeSystemMessages } from './consume-system-messages';

describe('a consumer of messages that arrive before their predecessors', () => {
  const stage = useMessaging();

  const successorOf = (id: string) => ({ ...draft('lane'), predecessors: [id] });
  const publish = (...drafts: Parameters<typeof publishBundle>[2]) =>
    publishBundle(stage.nats.connection, stage.messaging.stream, drafts);
  /** Starts a consumer that counts how many times it searches its database for predecessors. */
  const consume = async () => {
    const { inbox } = stage.messaging;
    let searches = 0;
    const handler: BatchHandler = {
      prepare: (messages) => inbox.prepare(messages),
      store: (plans) => inbox.store(plans as Parameters<typeof inbox.store>[0]),
      async findHandled(predecessors) {
        searches += 1;
        return inbox.findHandled(predecessors);
      },
    };
    stage.messaging.consumer({ handler });
    await eventually(async () => {
      const { consumers } = await manageJetStream(stage.nats.connection);
      const durable = await stage.messaging.durable();
      return (await consumers.info(stage.messaging.streamName, durable)).num_waiting > 0;
    });
    return { untilSearched: () => eventually(() => searches >= 3) };
  };

  it('holds a message until its predecessor is stored, even if the predecessor arrives in another bundle', async () => {
    const { untilSearched } = await consume();
    const first = draft('lane');
    const second = successorOf(first.id);
    await publish(second);
    await untilSearched();
    expect(await stage.messaging.inbox.ids()).toEqual([]);
    await publish(first);
    await eventually(async () => (await stage.messaging.inbox.ids()).length === 2);
    expect(await stage.messaging.inbox.ids()).toEqual([first.id, second.id]);
    await eventually(async () => (await stage.countInStream()) === 0);
  });

  it('handles a message after another replica has stored its predecessor', async () => {
    const { untilSearched } = await consume();
    const first = draft('lane');
    const second = successorOf(first.id);
    await publish(second);
    await untilSearched();
    await stage.messaging.inbox.handle({ ...first } as never);
    await eventually(async () => (await stage.messaging.inbox.ids()).includes(second.id));
    expect(await stage.messaging.inbox.ids()).toEqual([first.id, second.id]);
  });

  it('orders the messages in a batch by their predecessors, not by their arrival', async () => {
    const first = draft('lane');
    const second = successorOf(first.id);
    const third = successorOf(second.id);
    await consume();
    await publish(third, second, first);
    await eventually(async () => (await stage.messaging.inbox.ids()).length === 3);
    expect(await stage.messaging.inbox.ids()).toEqual([first.id, second.id, third.id]);
  });

  it('stores a message when a later copy no longer names the missing predecessor', async () => {
    const { untilSearched } = await consume();
    const parked = successorOf('lost-message');
    await publish(parked);
    await untilSearched();
    await publish({ ...parked, predecessors: [] });
    await eventually(async () => (await stage.messaging.inbox.ids()).length === 1);
    await eventually(async () => (await stage.countInStream()) === 0);
  });

  it('stores waiting messages once and in order even if NATS loses the stream in the meantime', async () => {
    const { untilSearched } = await consume();
    const { store, streamName, inbox } = stage.messaging;
    const drafts = Array.from({ length: 5 }, () => draft('lane'));
    await store.append(drafts);
    const [first, ...others] = drafts as [(typeof drafts)[0], ...typeof drafts];
    const chained = others.map((message, index) => ({
      ...message,
      predecessors: [drafts[index]!.id],
    }));
    await publish(...chained);
    await untilSearched();
    const { streams } = await manageJetStream(stage.nats.connection);
    await streams.delete(streamName);
    stage.messaging.relay();
    for (const { id } of drafts) await stage.untilState(id, 'delivered');
    expect(await inbox.ids()).toEqual([first, ...others].map(({ id }) => id));
  });

  it.each(['prepare', 'store'] as const)(
    'buries a message only after its predecessor has been handled, even if %s fails for the predecessor at first',
    async (step) => {
      const { inbox } = stage.messaging;
      const first = draft('lane');
      const second = successorOf(first.id);
      const outage = new AppError('UNAVAILABLE', 'no primary');
      let attempts = 0;
      const storedAtBurial: string[][] = [];
      stage.messaging.consumer({
        handler: {
          prepare: async (messages) =>
            messages.map(({ message }) => {
              if (message.id === second.id) return new AppError('NOT_FOUND', 'User not found');
              return step === 'prepare' && ++attempts < 4 ? outage : message;
            }),
          async store(plans) {
            if (step === 'store' && ++attempts < 4) throw outage;
            await inbox.store(plans as Parameters<typeof inbox.store>[0]);
          },
          findHandled: inbox.findHandled,
        },
        deadLetter: async (letter) => {
          storedAtBurial.push(await inbox.ids());
          await inbox.deadLetter(letter);
        },
      });
      await publish(first, second);
      await eventually(() => storedAtBurial.length > 0);
      expect(storedAtBurial).toEqual([[first.id]]);
    },
  );

  it('returns waiting messages to NATS when too many are held, so that their predecessor can arrive', async () => {
    const { inbox, stream, log } = stage.messaging;
    const consumer = consumeSystemMessages({
      connection: stage.nats.connection,
      stream,
      group: 'agents',
      handler: inbox,
      deadLetter: inbox.deadLetter,
      logger: log,
      observer: {},
      maxHeldBundles: 4,
    });
    try {
      const first = draft('lane');
      const others = Array.from({ length: 8 }, () => successorOf(first.id));
      for (const other of others) await publish(other);
      await publish(first);
      await eventually(async () => (await inbox.ids()).length === 9);
      expect((await inbox.ids())[0]).toBe(first.id);
    } finally {
      await consumer.stop();
    }
  });

  it('receives in order, and in few bundles, the messages that were accepted while the stream was missing', async () => {
    const { inbox, stream, streamName } = stage.messaging;
    const { streams } = await manageJetStream(stage.nats.connection);
    await streams.delete(streamName);
    const sender = stage.messaging.relay({ republishAfterMs: 60_000 });
    const texts = Array.from({ length: 200 }, (_, index) => `${index}`);
    for (const text of texts) await sender.outbox.append([draft('a', text), draft('b', text)]);
    await ensureSystemStream(stage.nats.connection, stream, 'agents');
    const bundles = async () => (await streams.info(streamName)).state.messages;
    await eventually(async () => (await bundles()) > 0);
    await sender.outbox.append([draft('c', 'last')]);
    stage.messaging.consumer({ maxHeldBundles: 1 });
    await eventually(async () => (await inbox.textsByLane())['c'] !== undefined);
    expect(await inbox.textsByLane()).toEqual({ a: texts, b: texts, c: ['last'] });
    // The bundles of the first attempts, before the outage was noticed, and one for all other messages.
    expect((await streams.info(streamName)).state.last_seq).toBeLessThan(12);
  });
});
