import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { AppError } from '@daycare/api';
import { eventually } from '@daycare/testing';
import { headers, type JsMsg } from 'nats';
import type { NatsLink } from '../nats/nats-link';
import { subjectOf } from '../nats/system-stream';
import { draft, TestLog, testSource, testStream } from '../test-support/fixtures';
import { bundleOf } from '../test-support/publish-bundle';
import type { BatchHandler } from './batch-handler';
import { BatchLoop } from './batch-loop';
import { BatchProcessor } from './batch-processor';
import { HeldMessages } from './held-messages';
import { ReceiptSender } from './receipt-sender';

const fastRetry = { firstMs: 1, maxMs: 10 };

/** A bundle that NATS has delivered this many times. */
function deliveryOf(deliveryCount: number, drafts: readonly ReturnType<typeof draft>[]) {
  const answers = { ack: jest.fn(), nak: jest.fn(), term: jest.fn(), working: jest.fn() };
  const info = { deliveryCount, stream: 'test' };
  const subject = subjectOf(testStream(), { group: 'agents', source: testSource, id: 'b1' });
  const data = bundleOf(drafts);
  const incoming = { ...answers, subject, data, info, seq: 1 } as unknown as JsMsg;
  return { incoming, answers };
}

function startLoop(handler: BatchHandler, maxHeldBundles = 100, retry = fastRetry) {
  const log = new TestLog();
  const held = new HeldMessages();
  const connection = { publish: () => undefined } as unknown as NatsLink;
  const receipts = new ReceiptSender(connection, testStream(), 'agent-runtime', log);
  const deps = { handler, held, receipts, logger: log, observer: {}, retry };
  const processor = new BatchProcessor({
    ...deps,
    deadLetter: async () => undefined,
    maxFailures: 5,
    maxDeliveries: 10,
  });
  return new BatchLoop({ ...deps, processor, ackWaitMs: 1_000, maxHeldBundles });
}

describe('BatchLoop', () => {
  afterEach(() => void jest.restoreAllMocks());

  const sizes: number[] = [];
  const handler: BatchHandler = {
    async prepare(messages) {
      sizes.push(messages.length);
      return messages;
    },
    store: async () => undefined,
    findHandled: async () => new Set(),
  };

  it('processes messages one by one, after all others, if they may have crashed the process', async () => {
    sizes.length = 0;
    const loop = startLoop(handler);
    const suspicious = deliveryOf(4, [draft('a'), draft('b')]);
    const harmless = deliveryOf(1, [draft('c'), draft('d'), draft('e')]);
    await Promise.all([loop.add(suspicious.incoming), loop.add(harmless.incoming)]);
    await eventually(() => suspicious.answers.ack.mock.calls.length > 0);
    await loop.stop();
    expect(sizes).toEqual([3, 1, 1]);
    expect(harmless.answers.ack).toHaveBeenCalledTimes(1);
  });

  it('prevents NATS from redelivering held messages, even after an idle period', async () => {
    const clearTimer = jest.spyOn(globalThis, 'clearInterval');
    let findHandled: BatchHandler['findHandled'] = async () => new Set();
    const loop = startLoop({ ...handler, findHandled: (ids) => findHandled(ids) });
    const parked = (text: string) => deliveryOf(1, [{ ...draft(text), predecessors: ['missing'] }]);
    const hasHeartbeat = ({ answers }: ReturnType<typeof deliveryOf>) =>
      answers.working.mock.calls.length > 0;
    const [first, second] = [parked('a'), parked('b')];
    await loop.add(first.incoming);
    await eventually(() => hasHeartbeat(first));
    findHandled = async () => new Set(['missing']);
    await eventually(() => first.answers.ack.mock.calls.length > 0);
    await eventually(() => clearTimer.mock.calls.length > 0);
    findHandled = async () => new Set();
    await loop.add(second.incoming);
    await eventually(() => hasHeartbeat(second));
    await loop.stop();
  });

  it('a message that fails after its predecessor was handled waits for its retry, even while others are handled', async () => {
    const [first, second] = [draft('first'), draft('second')];
    let attempts = 0;
    const failing: BatchHandler = {
      ...handler,
      async prepare(messages) {
        const isSecond = messages.some(({ message }) => message.id === second.id);
        if (!isSecond) return messages;
        attempts += 1;
        // Ends the loop of a consumer that does not wait.
        if (attempts > 10) return messages;
        throw new AppError('UNAVAILABLE', 'no database');
      },
    };
    const loop = startLoop(failing, 100, { firstMs: 60_000, maxMs: 60_000 });
    const handle = async (message: ReturnType<typeof draft>): Promise<void> => {
      const { incoming, answers } = deliveryOf(1, [message]);
      await loop.add(incoming);
      await eventually(() => answers.ack.mock.calls.length > 0);
    };
    await loop.add(deliveryOf(1, [{ ...second, predecessors: [first.id] }]).incoming);
    await handle(first);
    await eventually(() => attempts === 1);
    for (const text of ['a', 'b', 'c']) await handle(draft(text));
    await loop.stop();
    expect(attempts).toBe(1);
  });

  it('processes a suspicious message alone after seven other batches, even while harmless messages keep arriving', async () => {
    const batches: string[][] = [];
    const suspicious = draft('a');
    const loop: BatchLoop = startLoop({
      ...handler,
      async prepare(messages) {
        batches.push(messages.map(({ message }) => message.id));
        // There is always another harmless message.
        if (batches.length < 20) await loop.add(deliveryOf(1, [draft('b')]).incoming);
        return messages;
      },
    });
    await Promise.all(
      [deliveryOf(1, [draft('b')]), deliveryOf(4, [suspicious])].map(({ incoming }) =>
        loop.add(incoming),
      ),
    );
    await eventually(() => batches.length >= 20);
    await loop.stop();
    expect(batches.findIndex((ids) => ids.includes(suspicious.id))).toBe(7);
    expect(batches[7]).toEqual([suspicious.id]);
  });

  it.each([
    [1, 1_000],
    [2, 2_000],
    [5, 16_000],
    [9, 60_000],
  ])(
    'when too many messages are held, hands one whose deliveries number %d back to NATS with a delay of %d ms',
    async (deliveries, delayMs) => {
      const loop = startLoop(handler, 1);
      const parked = deliveryOf(deliveries, [{ ...draft('a'), predecessors: ['missing'] }]);
      const single = headers();
      single.set('Nats-Msg-Id', 'm');
      Object.assign(parked.incoming, { headers: single });
      await loop.add(parked.incoming);
      await loop.stop();
      expect(parked.answers.nak.mock.calls).toEqual([[delayMs]]);
    },
  );

  it('does not treat a bundle as suspicious if it was handed back merely because too many were held', async () => {
    sizes.length = 0;
    let isStored = false;
    const findHandled = async () => new Set(isStored ? ['missing'] : []);
    const loop = startLoop({ ...handler, findHandled }, 1);
    const drafts = ['a', 'b'].map((lane) => ({ ...draft(lane), predecessors: ['missing'] }));
    for (const deliveries of [1, 2, 3, 4, 5, 6, 7]) {
      const parked = deliveryOf(deliveries, drafts);
      await loop.add(parked.incoming);
      expect(parked.answers.nak).toHaveBeenCalledTimes(1);
    }
    isStored = true;
    const last = deliveryOf(8, drafts);
    await loop.add(last.incoming);
    await loop.stop();
    expect(last.answers.ack).toHaveBeenCalledTimes(1);
    expect(sizes).toEqual([2]);
  });

  it('processes suspicious messages in lane order without trying those that have to wait for a predecessor', async () => {
    const stored: string[] = [];
    let batches = 0;
    const loop = startLoop({
      ...handler,
      async prepare(messages) {
        batches += 1;
        stored.push(...messages.map(({ message }) => message.id));
        return messages;
      },
    });
    const chain = Array.from({ length: 40 }, () => draft('a'));
    const linked = chain.map((message, index) => ({
      ...message,
      predecessors: index === 0 ? [] : [chain[index - 1]!.id],
    }));
    const bundle = deliveryOf(4, linked.toReversed());
    await loop.add(bundle.incoming);
    await eventually(() => bundle.answers.ack.mock.calls.length > 0);
    await loop.stop();
    expect(stored).toEqual(chain.map(({ id }) => id));
    expect(batches).toBe(40);
  });

  it('terminates a bundle that has been delivered seven times, without acknowledging it', async () => {
    const loop = startLoop(handler);
    const bundle = deliveryOf(7, [draft('a'), draft('b')]);
    await loop.add(bundle.incoming);
    await eventually(() => bundle.answers.term.mock.calls.length > 0);
    await loop.stop();
    expect(bundle.answers.ack).not.toHaveBeenCalled();
  });

  it('returns unfinished messages to NATS when it stops', async () => {
    const loop = startLoop(handler);
    const parked = deliveryOf(1, [{ ...draft('a'), predecessors: ['missing'] }]);
    await loop.add(parked.incoming);
    await loop.stop();
    expect(parked.answers.nak).toHaveBeenCalledTimes(1);
    expect(parked.answers.ack).not.toHaveBeenCalled();
  });
});

describe('HeldMessages', () => {
  it('does not count deliveries that it handed back, and counts from one when the durable is recreated', () => {
    const held = new HeldMessages();
    const deliveriesOf = (deliveryCount: number): number | undefined => {
      held.add(deliveryOf(deliveryCount, [draft('a')]).incoming);
      const [bundle] = held.bundles;
      if (bundle) held.handBack(bundle);
      return bundle?.deliveries;
    };
    expect([1, 2, 3, 5].map(deliveriesOf)).toEqual([1, 1, 1, 2]);
    // Two of the deliveries by the new durable, the second and the third, ended with a crash.
    expect([1, 4].map(deliveriesOf)).toEqual([1, 3]);
  });
});
