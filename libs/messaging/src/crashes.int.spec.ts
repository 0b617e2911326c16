import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AppError } from '@daycare/errors';
import { connectMongo, type MongoConnection } from '@daycare/mongo';
import { eventually, testDatabase, testMongoUrl, testNatsUrl } from '@daycare/testing';
import fc from 'fast-check';
import { connectNats, type NatsHandle } from './connect-nats';
import { withLostReceipts } from './test-support/lost-receipts';
import { TestCourier } from './test-support/test-courier';
import { draft, TestLog } from './test-support/test-parts';

const step = fc.oneof(
  { weight: 12, arbitrary: fc.record({ send: fc.integer({ min: 0, max: 3 }) }) },
  { weight: 1, arbitrary: fc.constant('crash a relay' as const) },
  { weight: 1, arbitrary: fc.constant('crash the consumer' as const) },
);
const plan = fc.record({
  steps: fc.array(step, { minLength: 10, maxLength: 40 }),
  relays: fc.integer({ min: 1, max: 3 }),
  /** Taken in turn, over and over. */
  receiptLost: fc.infiniteStream(fc.integer({ min: 1, max: 4 }).map((roll) => roll === 1)),
  handlerFails: fc.infiniteStream(
    fc.constantFrom('no', 'no', 'no', 'before storing', 'after storing' as const),
  ),
});
type Plan = typeof plan extends fc.Arbitrary<infer T> ? T : never;

describe('under crashes, lost receipts, failing handlers and several relays', () => {
  let mongo: MongoConnection;
  let nats: NatsHandle;
  beforeAll(async () => {
    mongo = await testDatabase('crashes');
    nats = await connectToNats();
  });
  afterAll(async () => {
    await nats.close();
    await mongo.close();
  });

  const connectToNats = () =>
    connectNats({ url: testNatsUrl(), name: 'test', logger: new TestLog() });

  /** A relay with connections of its own; a crash cuts them wherever it happens to be. */
  const startRelay = async (courier: TestCourier) => {
    const database = mongo.db.databaseName;
    const own = await connectMongo({ url: testMongoUrl(), database, appName: 'crashing' });
    const { connection } = await connectToNats();
    const relay = courier.relay({ db: own.db, connection, republishAfterMs: 120 });
    const crash = async (): Promise<void> => {
      await Promise.all([own.client.close(true), connection.close()]);
    };
    return { relay, crash };
  };

  const startConsumer = async (courier: TestCourier, { receiptLost, handlerFails }: Plan) => {
    const { connection } = await connectToNats();
    courier.consumer({
      connection: withLostReceipts(connection, () => receiptLost.next().value),
      ackWaitMs: 300,
      retry: { firstMs: 2, maxMs: 50 },
      handle: async (message) => {
        const fails = handlerFails.next().value;
        if (fails === 'before storing') throw new AppError('UNAVAILABLE', 'no primary');
        await courier.inbox.handle(message);
        if (fails === 'after storing') throw new AppError('UNAVAILABLE', 'lost the answer');
      },
    });
    return { crash: () => connection.close() };
  };

  const play = async (courier: TestCourier, chosen: Plan): Promise<Record<string, string[]>> => {
    const relays = await Promise.all(
      Array.from({ length: chosen.relays }, () => startRelay(courier)),
    );
    let consumer = await startConsumer(courier, chosen);
    const sent: Record<string, string[]> = {};
    for (const [index, next] of chosen.steps.entries()) {
      const place = index % relays.length;
      const relay = relays[place];
      if (!relay) throw new Error('every place has a relay');
      if (next === 'crash the consumer') {
        await consumer.crash();
        consumer = await startConsumer(courier, chosen);
      } else if (next === 'crash a relay') {
        await relay.crash();
        relays[place] = await startRelay(courier);
      } else {
        const lane = `lane${next.send}`;
        (sent[lane] ??= []).push(`${index}`);
        await courier.send(relay.relay, [draft(lane, `${index}`)]);
      }
    }
    await eventually(async () => (await courier.store.backlog()).rows === 0, { timeoutMs: 15_000 });
    await Promise.all([consumer.crash(), ...relays.map(({ crash }) => crash())]);
    return sent;
  };

  it('every message is stored once and in the order of its lane', async () => {
    const keepsPromise = fc.asyncProperty(plan, async (chosen) => {
      const courier = await TestCourier.create(mongo.db, nats.connection);
      try {
        const sent = await play(courier, chosen);
        expect(await courier.inbox.textsByLane()).toEqual(sent);
        expect(courier.inbox.buried).toEqual([]);
      } finally {
        await courier.close();
      }
    });
    await fc.assert(keepsPromise, { numRuns: 10, endOnFailure: true });
  }, 60_000);
});
