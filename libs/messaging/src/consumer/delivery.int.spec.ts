import { describe, expect, it } from '@jest/globals';
import { eventually } from '@daycare/testing';
import { manageJetStream } from '../nats/ensure-stream';
import { withLostReceipts } from '../test-support/with-lost-receipts';
import { draft } from '../test-support/fixtures';
import { newGate } from '../test-support/gate';
import { useMessaging } from '../test-support/use-messaging';

describe('delivery from outbox to inbox', () => {
  const on = useMessaging();

  it('delivers every message once and in the order of its lane with several relays and consumers', async () => {
    const relays = [on.messaging.relay(), on.messaging.relay()] as const;
    on.messaging.consumer();
    on.messaging.consumer();
    const lanes = Array.from({ length: 8 }, (_, lane) => `lane${lane}`);
    const texts = Array.from({ length: 12 }, (_, text) => `${text}`);
    for (const text of texts) {
      const drafts = lanes.map((lane) => draft(lane, text));
      await on.messaging.send(relays[Number(text) % 2] ?? relays[0], drafts);
    }
    await eventually(async () => (await on.messaging.inbox.ids()).length === 96);
    expect(await on.messaging.inbox.textsByLane()).toEqual(
      Object.fromEntries(lanes.map((lane) => [lane, texts])),
    );
    await eventually(async () => (await on.messaging.countOpen()) === 0);
    await eventually(async () => (await on.countInStream()) === 0);
  });

  it('asks a single server for few heartbeats', async () => {
    const pulls: unknown[] = [];
    const { streamName } = on.messaging;
    const listener = on.nats.connection.subscribe(`$JS.API.CONSUMER.MSG.NEXT.${streamName}.>`, {
      callback: (_error, message) => pulls.push(message.json()),
    });
    await on.nats.connection.flush();
    on.messaging.consumer();
    await eventually(() => pulls.length > 0);
    listener.unsubscribe();
    const secondsInNs = 1_000_000_000;
    expect(pulls[0]).toMatchObject({ expires: 10 * secondsInNs, idle_heartbeat: 5 * secondsInNs });
  });

  it('delivers a message whose process died between the commit and the publication', async () => {
    const orphan = draft('lane');
    on.messaging.store.publishThrough({ publish: () => undefined, republishAfterMs: 300 });
    await on.messaging.store.append([orphan]);
    on.messaging.relay();
    on.messaging.consumer();
    await on.untilState(orphan.id, 'delivered');
  });

  it('delivers a message whose relay was never woken, as after a crash following the commit', async () => {
    const orphan = draft('lane');
    await on.messaging.store.append([orphan]);
    on.messaging.relay();
    on.messaging.consumer();
    await on.untilState(orphan.id, 'delivered');
  });

  it('keeps at most two copies of a message in the stream while the consumer is down', async () => {
    const attempts: number[] = [];
    const relay = on.messaging.relay({
      observer: { published: ({ attempt }) => attempts.push(attempt) },
    });
    const drafts = [draft('a'), draft('a'), draft('b')];
    await on.messaging.send(relay, drafts);
    await eventually(() => attempts.filter((attempt) => attempt === 3).length === drafts.length);
    // The bundle with all of them, and each by itself.
    expect(await on.countInStream()).toBe(4);
    on.messaging.consumer();
    for (const { id } of drafts) await on.untilState(id, 'delivered');
    expect(on.messaging.log.messages()).toEqual([]);
  });

  it('republishes a message whose receipt was lost and sends the receipt again', async () => {
    let lost = 0;
    on.messaging.consumer({ connection: withLostReceipts(on.nats.connection, () => ++lost <= 2) });
    const message = draft('lane');
    await on.messaging.send(on.messaging.relay(), [message]);
    await on.untilState(message.id, 'delivered');
    expect(lost).toBeGreaterThanOrEqual(3);
    expect(await on.messaging.inbox.ids()).toEqual([message.id]);
  });

  it('does not wait for a predecessor that has its receipt, even if the consumer has no record of that predecessor', async () => {
    const [first, second] = [draft('lane'), draft('lane')];
    await on.messaging.store.append([first, second]);
    const receipt = { open: false, outcome: 'delivered', settledAt: new Date() };
    await on.messaging.updateRow(first.id, receipt);
    on.messaging.consumer();
    on.messaging.relay();
    await on.untilState(second.id, 'delivered');
    expect(await on.messaging.inbox.ids()).toEqual([second.id]);
  });

  it('publishes a message to a service only after the receipt of the previous message of its lane', async () => {
    const gate = newGate();
    const handled: string[] = [];
    on.messaging.consumer({
      group: 'inboxes',
      handle: async ({ id }) => {
        handled.push(id);
        await gate.opened;
      },
    });
    const target = { $case: 'service', value: 'inboxes' } as const;
    const recipient = { userId: 'bob', target };
    const drafts = Array.from({ length: 5 }, () => ({ ...draft('lane'), recipient }));
    const relay = on.messaging.relay({ republishAfterMs: 5_000 });
    for (const one of drafts) await on.messaging.send(relay, [one]);
    await eventually(() => handled.length > 0);
    relay.wake();
    await on.nats.connection.flush();
    expect(await on.countInStream()).toBe(1);
    gate.open();
    for (const { id } of drafts) await on.untilState(id, 'delivered');
    expect(handled).toEqual(drafts.map(({ id }) => id));
  });

  it('does not redeliver a message while a slow handler works on it', async () => {
    const ackWaitMs = 400;
    const gate = newGate();
    const deliveryCounts: number[] = [];
    on.messaging.consumer({
      ackWaitMs,
      handle: async (message, { deliveries }) => {
        deliveryCounts.push(deliveries);
        await gate.opened;
        await on.messaging.inbox.handle(message);
      },
    });
    const slow = draft('lane');
    await on.messaging.send(on.messaging.relay({ republishAfterMs: 5_000 }), [slow]);
    await eventually(() => deliveryCounts.length > 0);
    const startedMs = performance.now();
    await eventually(() => performance.now() - startedMs > 3 * ackWaitMs);
    gate.open();
    await on.untilState(slow.id, 'delivered');
    expect(deliveryCounts).toEqual([1]);
  });

  it('finishes messages in progress before the consumer stops', async () => {
    const gate = newGate();
    let isInProgress = false;
    const consumer = on.messaging.consumer({
      handle: async (message) => {
        isInProgress = true;
        await gate.opened;
        await on.messaging.inbox.handle(message);
      },
    });
    const last = draft('lane');
    await on.messaging.send(on.messaging.relay(), [last]);
    await eventually(() => isInProgress);
    const stopped = consumer.stop();
    gate.open();
    await stopped;
    expect(await on.messaging.inbox.ids()).toEqual([last.id]);
    await on.untilState(last.id, 'delivered');
  });

  it('publishes what a stopped relay left unpublished', async () => {
    const stopped = on.messaging.relay();
    on.messaging.consumer();
    const drafts = Array.from({ length: 30 }, (_, lane) => draft(`lane${lane}`));
    await on.messaging.send(stopped, drafts);
    await stopped.stop();
    on.messaging.relay();
    await eventually(async () => (await on.messaging.countOpen()) === 0);
    expect((await on.messaging.inbox.ids()).sort()).toEqual(drafts.map(({ id }) => id).sort());
  });

  it('delivers messages even if stream and durable are deleted in between', async () => {
    on.messaging.consumer();
    const relay = on.messaging.relay();
    const [before, between, after] = [draft('lane'), draft('lane'), draft('lane')];
    await on.messaging.send(relay, [before]);
    await on.untilState(before.id, 'delivered');
    const { streams, consumers } = await manageJetStream(on.nats.connection);
    await consumers.delete(on.messaging.streamName, await on.messaging.durable());
    await on.messaging.send(relay, [between]);
    await on.untilState(between.id, 'delivered');
    await streams.delete(on.messaging.streamName);
    await on.messaging.send(relay, [after]);
    await on.untilState(after.id, 'delivered');
    expect(await on.messaging.inbox.ids()).toEqual([before.id, between.id, after.id]);
  });

  it('rejects a republication delay within which NATS would ignore republications', () => {
    expect(() =>
      on.messaging.relay({ republishAfterMs: on.messaging.stream.duplicateWindowMs }),
    ).toThrow('must be longer than');
  });
});
