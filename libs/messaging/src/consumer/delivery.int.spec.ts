import { describe, expect, it } from '@jest/globals';
import { eventually } from '@daycare/testing';
import { manageJetStream } from '../nats/ensure-stream';
import { withLostReceipts } from '../test-support/with-lost-receipts';
import { draft } from '../test-support/fixtures';
import { useMessaging } from '../test-support/use-messaging';

describe('messaging from an outbox to an inbox', () => {
  const stage = useMessaging();

  it('delivers every message once and in lane order when there are several relays and consumers', async () => {
    const relays = [stage.messaging.relay(), stage.messaging.relay()] as const;
    stage.messaging.consumer();
    stage.messaging.consumer();
    const lanes = Array.from({ length: 8 }, (_, lane) => `lane${lane}`);
    const texts = Array.from({ length: 12 }, (_, text) => `${text}`);
    for (const text of texts) {
      const drafts = lanes.map((lane) => draft(lane, text));
      await stage.messaging.send(relays[Number(text) % 2] ?? relays[0], drafts);
    }
    await eventually(async () => (await stage.messaging.inbox.ids()).length === 96);
    expect(await stage.messaging.inbox.textsByLane()).toEqual(
      Object.fromEntries(lanes.map((lane) => [lane, texts])),
    );
    await eventually(async () => (await stage.messaging.countOpen()) === 0);
    await eventually(async () => (await stage.countInStream()) === 0);
  });

  it('asks a single server for a heartbeat every five seconds', async () => {
    const pulls: unknown[] = [];
    const { streamName } = stage.messaging;
    const listener = stage.nats.connection.subscribe(`$JS.API.CONSUMER.MSG.NEXT.${streamName}.>`, {
      callback: (_error, message) => pulls.push(message.json()),
    });
    await stage.nats.connection.flush();
    stage.messaging.consumer();
    await eventually(() => pulls.length > 0);
    listener.unsubscribe();
    const nsPerSecond = 1_000_000_000;
    expect(pulls[0]).toMatchObject({ expires: 10 * nsPerSecond, idle_heartbeat: 5 * nsPerSecond });
  });

  it('delivers a message whose sender died between the commit and the publication', async () => {
    const orphan = draft('lane');
    stage.messaging.store.publishThrough({ publish: () => undefined, republishAfterMs: 300 });
    await stage.messaging.store.append([orphan]);
    stage.messaging.relay();
    stage.messaging.consumer();
    await stage.untilState(orphan.id, 'delivered');
  });

  it('delivers a message that was stored while no relay was running, as after a crash right after the commit', async () => {
    const orphan = draft('lane');
    await stage.messaging.store.append([orphan]);
    stage.messaging.relay();
    stage.messaging.consumer();
    await stage.untilState(orphan.id, 'delivered');
  });

  it('keeps at most two copies of a message in the stream while the consumer is down', async () => {
    const attempts: number[] = [];
    const relay = stage.messaging.relay({
      observer: { published: ({ attempt }) => attempts.push(attempt) },
    });
    const drafts = [draft('a'), draft('a'), draft('b')];
    await stage.messaging.send(relay, drafts);
    await eventually(() => attempts.filter((attempt) => attempt === 3).length === drafts.length);
    // The bundle with all three, and each message alone.
    expect(await stage.countInStream()).toBe(4);
    stage.messaging.consumer();
    for (const { id } of drafts) await stage.untilState(id, 'delivered');
    expect(stage.messaging.log.messages()).toEqual([]);
  });

  it('keeps republishing a message whose receipts are lost, but stores it only once', async () => {
    let receiptsSent = 0;
    stage.messaging.consumer({
      connection: withLostReceipts(stage.nats.connection, () => ++receiptsSent <= 2),
    });
    const message = draft('lane');
    await stage.messaging.send(stage.messaging.relay(), [message]);
    await stage.untilState(message.id, 'delivered');
    expect(receiptsSent).toBeGreaterThanOrEqual(3);
    expect(await stage.messaging.inbox.ids()).toEqual([message.id]);
  });

  it('does not wait for a predecessor whose receipt has arrived, even if the consumer has no record of that predecessor', async () => {
    const [first, second] = [draft('lane'), draft('lane')];
    await stage.messaging.store.append([first, second]);
    const receipt = { open: false, outcome: 'delivered', settledAt: new Date() };
    await stage.messaging.updateRow(first.id, receipt);
    stage.messaging.consumer();
    stage.messaging.relay();
    await stage.untilState(second.id, 'delivered');
    expect(await stage.messaging.inbox.ids()).toEqual([second.id]);
  });

  it('publishes a message to a service only after the receipt of the previous message in its lane', async () => {
    const gate = stage.messaging.newGate();
    const handled: string[] = [];
    stage.messaging.consumer({
      group: 'inboxes',
      handle: async ({ id }) => {
        handled.push(id);
        await gate.opened;
      },
    });
    const target = { $case: 'service', value: 'inboxes' } as const;
    const recipient = { userId: 'bob', target };
    const drafts = Array.from({ length: 5 }, () => ({ ...draft('lane'), recipient }));
    const relay = stage.messaging.relay({ republishAfterMs: 5_000 });
    for (const message of drafts) await stage.messaging.send(relay, [message]);
    await eventually(() => handled.length > 0);
    relay.wake();
    await stage.nats.connection.flush();
    expect(await stage.countInStream()).toBe(1);
    gate.open();
    for (const { id } of drafts) await stage.untilState(id, 'delivered');
    expect(handled).toEqual(drafts.map(({ id }) => id));
  });

  it('does not redeliver a message while a slow handler is working on it', async () => {
    const ackWaitMs = 400;
    const gate = stage.messaging.newGate();
    const deliveryCounts: number[] = [];
    stage.messaging.consumer({
      ackWaitMs,
      handle: async (message, { deliveries }) => {
        deliveryCounts.push(deliveries);
        await gate.opened;
        await stage.messaging.inbox.handle(message);
      },
    });
    const slow = draft('lane');
    await stage.messaging.send(stage.messaging.relay({ republishAfterMs: 5_000 }), [slow]);
    await eventually(() => deliveryCounts.length > 0);
    const startedMs = performance.now();
    await eventually(() => performance.now() - startedMs > 3 * ackWaitMs);
    gate.open();
    await stage.untilState(slow.id, 'delivered');
    expect(deliveryCounts).toEqual([1]);
  });

  it('finishes messages in progress before the consumer stops', async () => {
    const gate = stage.messaging.newGate();
    let isInProgress = false;
    const consumer = stage.messaging.consumer({
      handle: async (message) => {
        isInProgress = true;
        await gate.opened;
        await stage.messaging.inbox.handle(message);
      },
    });
    const last = draft('lane');
    await stage.messaging.send(stage.messaging.relay(), [last]);
    await eventually(() => isInProgress);
    const stopped = consumer.stop();
    gate.open();
    await stopped;
    expect(await stage.messaging.inbox.ids()).toEqual([last.id]);
    await stage.untilState(last.id, 'delivered');
  });

  it('delivers messages that were accepted just before their relay was stopped, once another relay is running', async () => {
    const stopped = stage.messaging.relay();
    stage.messaging.consumer();
    const drafts = Array.from({ length: 30 }, (_, lane) => draft(`lane${lane}`));
    await stage.messaging.send(stopped, drafts);
    await stopped.stop();
    stage.messaging.relay();
    await eventually(async () => (await stage.messaging.countOpen()) === 0);
    expect((await stage.messaging.inbox.ids()).sort()).toEqual(drafts.map(({ id }) => id).sort());
  });

  it('delivers messages even if the durable or the whole stream is deleted between them', async () => {
    stage.messaging.consumer();
    const relay = stage.messaging.relay();
    const [before, between, after] = [draft('lane'), draft('lane'), draft('lane')];
    await stage.messaging.send(relay, [before]);
    await stage.untilState(before.id, 'delivered');
    const { streams, consumers } = await manageJetStream(stage.nats.connection);
    await consumers.delete(stage.messaging.streamName, await stage.messaging.durable());
    await stage.messaging.send(relay, [between]);
    await stage.untilState(between.id, 'delivered');
    await streams.delete(stage.messaging.streamName);
    await stage.messaging.send(relay, [after]);
    await stage.untilState(after.id, 'delivered');
    expect(await stage.messaging.inbox.ids()).toEqual([before.id, between.id, after.id]);
  });

  it('rejects a republication delay so short that NATS would ignore republications', () => {
    expect(() =>
      stage.messaging.relay({ republishAfterMs: stage.messaging.stream.duplicateWindowMs }),
    ).toThrow('must be longer than');
  });
});
