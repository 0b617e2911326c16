import os from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, testMongoUrl, testNatsUrl, uniqueName } from '@daycare/testing';
import { MongoClient } from 'mongodb';
import { connectNats, type NatsHandle } from './nats/connect-nats';
import { TestMessaging } from './test-support/test-messaging';
import { draft, TestLog } from './test-support/fixtures';

const inFlight = 64;
const rounds = 10;
/**
 * After this many rounds the senders wait for all receipts, which keeps each lane below its limit of five
 * waiting messages.
 */
const roundsTogether = 4;

describe('a delivered message', () => {
  let client: MongoClient;
  let nats: NatsHandle;
  beforeAll(async () => {
    client = await MongoClient.connect(testMongoUrl(), {
      monitorCommands: true,
      // Passed in because the driver would load it with import(), which Jest does not support.
      runtimeAdapters: { os },
    });
    nats = await connectNats({ url: testNatsUrl(), name: 'test', logger: new TestLog() });
  });
  afterAll(async () => {
    await nats.close();
    await client.close();
  });

  it('takes at most 0.3 MongoDB commands on average from the call to the receipt, with 64 in flight', async () => {
    const db = client.db(uniqueName('commands'));
    // Messages are limited, but the senders never reach the limit: all that the limit costs is counting,
    // which is included in the result.
    let counts = 0;
    const countInInboxes = async () => {
      counts += 1;
      return new Map();
    };
    const messaging = await TestMessaging.create(db, nats.connection);
    const friendDraft = (lane: string, text: string) => ({
      ...draft(lane, text),
      tie: { id: lane, version: 1, subuserId: '' },
      limits: { perHour: 1_000, waiting: 5 },
    });
    try {
      let receiptCount = 0;
      const observer = { receiptStored: () => void (receiptCount += 1) };
      const timing = { pollMs: 60_000, republishAfterMs: 60_000 };
      const sender = messaging.relay({ ...timing, countInInboxes, observer });
      messaging.consumer();
      // The first message waits for the consumer to start, and creates the inbox's collection.
      await messaging.send(sender, [draft('first')]);
      await eventually(() => receiptCount === 1);
      const labels: string[] = [];
      client.on('commandStarted', ({ commandName, command }) =>
        labels.push(`${commandName} ${command[commandName]}`),
      );
      for (let round = 0; round < rounds; round += 1) {
        const sendTo = (_: unknown, lane: number): Promise<unknown> =>
          messaging.send(sender, [friendDraft(`lane${lane}`, `${round}`)]);
        await Promise.all(Array.from({ length: inFlight }, sendTo));
        if ((round + 1) % roundsTogether === 0)
          await eventually(() => receiptCount === 1 + (round + 1) * inFlight);
      }
      const sent = inFlight * rounds;
      await eventually(async () => (await messaging.inbox.ids()).length === sent + 1);
      const commands = labels.filter((label) => /outbox|^insert inbox/.test(label));
      client.removeAllListeners('commandStarted');
      await eventually(async () => (await messaging.countOpen()) === 0);
      expect((commands.length + counts) / sent).toBeLessThanOrEqual(0.3);
      const texts = Array.from({ length: rounds }, (_, round) => `${round}`);
      const { first: _, ...lanes } = await messaging.inbox.textsByLane();
      expect(new Set(Object.values(lanes).map(String))).toEqual(new Set([String(texts)]));
    } finally {
      await messaging.close();
      await db.dropDatabase();
    }
  });
});
