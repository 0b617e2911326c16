import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AppError } from '@daycare/api';
import { SystemMessage } from '@daycare/contracts/common';
import { connectMongo, type MongoConnection } from '@daycare/mongo';
import { eventually, testDatabase, testMongoUrl, testNatsUrl } from '@daycare/testing';
import fc from 'fast-check';
import { connectNats, type NatsHandle } from './nats/connect-nats';
import { manageJetStream } from './nats/ensure-stream';
import { withLostReceipts } from './test-support/with-lost-receipts';
import type { MessageDraft } from './outbox/rows/message-draft';
import { TestMessaging, type Sender } from './test-support/test-messaging';
import { draft, TestLog } from './test-support/fixtures';

const lane = fc.integer({ min: 0, max: 3 });
const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ send: lane, count: fc.constant(1) }) },
  // Sent by several replicas at the same time: they may arrive in any order, but before the lane's next message.
  { weight: 5, arbitrary: fc.record({ send: lane, count: fc.integer({ min: 2, max: 6 }) }) },
  // Sent straight to the recipient, unless the newest message in the lane has no receipt yet (ADR 0035).
  { weight: 6, arbitrary: fc.record({ direct: lane, isRetried: fc.boolean() }) },
  { weight: 1, arbitrary: fc.constant('crash a relay' as const) },
  { weight: 1, arbitrary: fc.constant('crash a consumer' as const) },
  { weight: 1, arbitrary: fc.constant('lose the stream' as const) },
);
const plan = fc.record({
  steps: fc.array(step, { minLength: 10, maxLength: 40 }),
  relays: fc.integer({ min: 1, max: 3 }),
  consumers: fc.integer({ min: 1, max: 2 }),
  /** For each receipt in turn, whether it is lost. */
  receiptLost: fc.infiniteStream(fc.integer({ min: 1, max: 4 }).map((roll) => roll === 1)),
  handlerFails: fc.infiniteStream(
    fc.constantFrom('no', 'no', 'no', 'before storing', 'after storing' as const),
  ),
});
type Plan = typeof plan extends fc.Arbitrary<infer T> ? T : never;

type Sent = Map<string, (readonly string[])[]>;

/**
 * Stores a message directly in its recipient's inbox, or in the outbox if the newest message of its lane has no
 * receipt; a retry has no further effect.
 */
async function sendDirectly(
  { inbox }: Pick<TestMessaging, 'inbox'>,
  { outbox }: Pick<Sender, 'outbox'>,
  message: MessageDraft,
  isRetried: boolean,
): Promise<void> {
  if (!(await outbox.appendBehindOpenTail(message)))
    await inbox.store([SystemMessage.create(message)]);
  if (isRetried) await sendDirectly({ inbox }, { outbox }, message, false);
}

async function startAll<T>(count: number, start: () => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, start));
}

/** Crashes one of the running relays or consumers and starts another in its place. */
async function replace<T extends { crash(): Promise<void> }>(
  running: T[],
  index: number,
  start: () => Promise<T>,
): Promise<void> {
  const position = index % running.length;
  await running[position]!.crash();
  running[position] = await start();
}

/** Splits the texts into groups of the same sizes as `groups`, each sorted. */
function regroup(
  texts: readonly string[] = [],
  groups: readonly (readonly string[])[],
): string[][] {
  let start = 0;
  return groups.map(({ length }) => texts.slice(start, (start += length)).sort());
}

describe('messaging', () => {
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

  /** Starts a relay with its own connections; `crash` closes them, whatever the relay is doing. */
  const startRelay = async (messaging: TestMessaging) => {
    const database = mongo.db.databaseName;
    const ownMongo = await connectMongo({ url: testMongoUrl(), database, appName: 'crashing' });
    const { connection } = await connectToNats();
    const relay = messaging.relay({ db: ownMongo.db, connection, republishAfterMs: 120 });
    const crash = async (): Promise<void> => {
      await Promise.all([ownMongo.client.close(true), connection.close()]);
    };
    return { relay, crash };
  };

  const startConsumer = async (messaging: TestMessaging, { receiptLost, handlerFails }: Plan) => {
    const { connection } = await connectToNats();
    messaging.consumer({
      connection: withLostReceipts(connection, () => receiptLost.next().value),
      ackWaitMs: 300,
      retry: { firstMs: 2, maxMs: 50 },
      handler: {
        prepare: messaging.inbox.prepare,
        findHandled: messaging.inbox.findHandled,
        async store(plans) {
          const fails = handlerFails.next().value;
          if (fails === 'before storing') throw new AppError('UNAVAILABLE', 'no primary');
          await messaging.inbox.store(plans as SystemMessage[]);
          if (fails === 'after storing') throw new AppError('UNAVAILABLE', 'lost the response');
        },
      },
    });
    return { crash: () => connection.close() };
  };

  /**
   * Runs a plan; resolves with the sent texts by lane, where texts sent at the same time form one group.
   */
  const play = async (messaging: TestMessaging, chosen: Plan): Promise<Sent> => {
    const relays = await startAll(chosen.relays, () => startRelay(messaging));
    const consumers = await startAll(chosen.consumers, () => startConsumer(messaging, chosen));
    const sent: Sent = new Map();
    for (const [index, next] of chosen.steps.entries()) {
      if (next === 'crash a consumer')
        await replace(consumers, index, () => startConsumer(messaging, chosen));
      else if (next === 'crash a relay') await replace(relays, index, () => startRelay(messaging));
      else if (next === 'lose the stream') await loseStream(messaging);
      else if ('direct' in next) {
        const name = `lane${next.direct}`;
        sent.set(name, [...(sent.get(name) ?? []), [`${index}`]]);
        const { relay } = relays[index % relays.length]!;
        await sendDirectly(messaging, relay, draft(name, `${index}`), next.isRetried);
      } else {
        const texts = Array.from({ length: next.count }, (_, item) => `${index}.${item}`);
        sent.set(`lane${next.send}`, [...(sent.get(`lane${next.send}`) ?? []), texts]);
        await Promise.all(
          texts.map((text, item) => {
            const replica = relays[(index + item) % relays.length]!;
            return messaging.send(replica.relay, [draft(`lane${next.send}`, text)]);
          }),
        );
      }
    }
    // Usually takes a second, but longer when retries wait for each other after several losses.
    await eventually(async () => (await messaging.countOpen()) === 0, { timeoutMs: 60_000 });
    await Promise.all([...consumers, ...relays].map(({ crash }) => crash()));
    return sent;
  };

  const loseStream = async ({ streamName }: TestMessaging): Promise<void> => {
    const { streams } = await manageJetStream(nats.connection);
    await streams.delete(streamName).catch(() => undefined);
  };

  it('stores every message once and in order, whether sent directly or not, despite crashes, lost receipts and failing handlers', async () => {
    const storesAllInOrder = fc.asyncProperty(plan, async (chosen) => {
      const messaging = await TestMessaging.create(mongo.db, nats.connection);
      try {
        const sent = await play(messaging, chosen);
        const stored = await messaging.inbox.textsByLane();
        for (const [name, groups] of sent) expect(regroup(stored[name], groups)).toEqual(groups);
        expect(Object.values(stored).flat()).toHaveLength([...sent.values()].flat(2).length);
        expect(messaging.inbox.buried).toEqual([]);
      } finally {
        await messaging.close();
      }
    });
    await fc.assert(storesAllInOrder, { numRuns: 10, endOnFailure: true });
  }, 300_000);
});
