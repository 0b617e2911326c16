import { describe, expect, it } from '@jest/globals';
import { eventually } from '@daycare/testing';
import { manageJetStream } from './ensure-stream';
import { withLostReceipts } from './test-support/lost-receipts';
import { draft } from './test-support/test-parts';
import { useCourier } from './test-support/use-courier';

describe('a message from outbox to inbox', () => {
  const on = useCourier();

  it('arrives once and in order per lane, with several relays and consumers at work', async () => {
    const relays = [on.courier.relay(), on.courier.relay()] as const;
    on.courier.consumer();
    on.courier.consumer();
    const lanes = Array.from({ length: 8 }, (_, lane) => `lane${lane}`);
    const texts = Array.from({ length: 12 }, (_, text) => `${text}`);
    for (const text of texts) {
      const drafts = lanes.map((lane) => draft(lane, text));
      await on.courier.send(relays[Number(text) % 2] ?? relays[0], drafts);
    }
    await eventually(async () => (await on.courier.inbox.ids()).length === 96);
    expect(await on.courier.inbox.textsByLane()).toEqual(
      Object.fromEntries(lanes.map((lane) => [lane, texts])),
    );
    await eventually(async () => (await on.courier.store.backlog()).rows === 0);
    expect(await on.countInStream()).toBe(0);
  });

  it('is delivered without anyone being woken, as after a crash behind the append', async () => {
    const orphan = draft('lane');
    await on.courier.store.append([orphan]);
    on.courier.relay();
    on.courier.consumer();
    await on.untilState(orphan.id, 'delivered');
  });

  it('is not multiplied while the consumer is away, however often it is published', async () => {
    const attempts: number[] = [];
    const relay = on.courier.relay({
      observer: { published: ({ attempt }) => attempts.push(attempt) },
    });
    const drafts = [draft('a'), draft('a'), draft('b')];
    await on.courier.send(relay, drafts);
    await eventually(() => attempts.includes(3));
    expect(await on.countInStream()).toBe(2);
    on.courier.consumer();
    for (const { id } of drafts) await on.untilState(id, 'delivered');
    expect(on.courier.log.messages()).toEqual([]);
  });

  it('is published again when its receipt was lost, and answered again', async () => {
    let lost = 0;
    on.courier.consumer({ connection: withLostReceipts(on.nats.connection, () => ++lost <= 2) });
    const message = draft('lane');
    await on.courier.send(on.courier.relay(), [message]);
    await on.untilState(message.id, 'delivered');
    expect(lost).toBe(3);
    expect(await on.courier.inbox.ids()).toEqual([message.id]);
  });

  it('is not given to another replica while a slow handler is at work', async () => {
    const tries: number[] = [];
    on.courier.consumer({
      ackWaitMs: 400,
      handle: async (message, { deliveries }) => {
        tries.push(deliveries);
        await new Promise((resolve) => setTimeout(resolve, 1_200));
        await on.courier.inbox.handle(message);
      },
    });
    const slow = draft('lane');
    await on.courier.send(on.courier.relay({ republishAfterMs: 5_000 }), [slow]);
    await on.untilState(slow.id, 'delivered');
    expect(tries).toEqual([1]);
  });

  it('under way when the consumer is told to stop is finished first', async () => {
    let finish = (): void => undefined;
    const gate = new Promise<void>((resolve) => (finish = resolve));
    let isUnderWay = false;
    const consumer = on.courier.consumer({
      handle: async (message) => {
        isUnderWay = true;
        await gate;
        await on.courier.inbox.handle(message);
      },
    });
    const last = draft('lane');
    await on.courier.send(on.courier.relay(), [last]);
    await eventually(() => isUnderWay);
    const stopped = consumer.stop();
    finish();
    await stopped;
    expect(await on.courier.inbox.ids()).toEqual([last.id]);
    await on.untilState(last.id, 'delivered');
  });

  it('left behind by a relay that was stopped is taken up by another', async () => {
    const stopped = on.courier.relay();
    on.courier.consumer();
    const drafts = Array.from({ length: 30 }, (_, lane) => draft(`lane${lane}`));
    await on.courier.send(stopped, drafts);
    await stopped.stop();
    on.courier.relay();
    await eventually(async () => (await on.courier.store.backlog()).rows === 0);
    expect((await on.courier.inbox.ids()).sort()).toEqual(drafts.map(({ id }) => id).sort());
  });

  it('arrives although the stream and the durable were deleted meanwhile', async () => {
    on.courier.consumer();
    const relay = on.courier.relay();
    const [before, between, after] = [draft('lane'), draft('lane'), draft('lane')];
    await on.courier.send(relay, [before]);
    await on.untilState(before.id, 'delivered');
    const { streams, consumers } = await manageJetStream(on.nats.connection);
    await consumers.delete(on.courier.stream.name, 'agent-runtime');
    await on.courier.send(relay, [between]);
    await on.untilState(between.id, 'delivered');
    await streams.delete(on.courier.stream.name);
    await on.courier.send(relay, [after]);
    await on.untilState(after.id, 'delivered');
    expect(await on.courier.inbox.ids()).toEqual([before.id, between.id, after.id]);
  });

  it('refuses timing with which NATS would swallow republications', () => {
    expect(() =>
      on.courier.relay({ republishAfterMs: on.courier.stream.duplicateWindowMs }),
    ).toThrow('must be longer than');
  });
});
