import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { chooseFreePort, findServer, findWorkspaceRoot, startMongod } from '@daycare/local-stack';
import { connectMongo, type MongoConnection } from '@daycare/mongo';
import { eventually, testDatabase } from '@daycare/testing';
import { connectNats, type NatsHandle } from './nats/connect-nats';
import { manageJetStream } from './nats/ensure-stream';
import { TestMessaging, type Sender } from './test-support/test-messaging';
import { TestNatsServer } from './test-support/test-nats-server';
import { draft, TestLog } from './test-support/fixtures';

const lanes = Array.from({ length: 10 }, (_, lane) => `lane${lane}`);
const rounds = Array.from({ length: 12 }, (_, round) => `${round}`);
const slowTiming = { republishAfterMs: 2_000, maxRepublishAfterMs: 4_000 };

describe('messages in flight', () => {
  let server: TestNatsServer;
  let mongo: MongoConnection;
  let nats: NatsHandle;
  let messaging: TestMessaging;

  beforeEach(async () => {
    server = await TestNatsServer.prepare(await chooseFreePort());
    await server.start();
    mongo = await testDatabase('loss');
    nats = await connectNats({ url: server.url, name: 'test', logger: new TestLog() });
    messaging = await TestMessaging.create(mongo.db, nats.connection);
  });
  afterEach(async () => {
    await messaging.close();
    await nats.close();
    await mongo.close();
    await server.remove();
  });

  const sendRound = async (relay: Sender, text: string): Promise<void> => {
    const drafts = lanes.map((lane) => draft(lane, text));
    await messaging.send(relay, drafts);
  };
  const expectAllInOrder = async (): Promise<void> => {
    await eventually(async () => (await messaging.countOpen()) === 0, {
      timeoutMs: 20_000,
    });
    const complete = Object.fromEntries(lanes.map((lane) => [lane, rounds]));
    expect(await messaging.inbox.textsByLane()).toEqual(complete);
    expect(messaging.inbox.buried).toEqual([]);
  };

  it('all arrive once and in order even if NATS is killed', async () => {
    const relay = messaging.relay(slowTiming);
    messaging.consumer();
    for (const [round, text] of rounds.entries()) {
      await sendRound(relay, text);
      if (round === 3) await server.kill();
      if (round === 7) await server.start();
    }
    await expectAllInOrder();
    const warnings = messaging.log.messages().filter((line) => line.startsWith('cannot publish'));
    expect(warnings.length).toBeLessThan(3);
  });

  it('all arrive once and in order even if NATS loses its store', async () => {
    const relay = messaging.relay(slowTiming);
    for (const text of rounds.slice(0, 6)) await sendRound(relay, text);
    const { streams } = await manageJetStream(nats.connection);
    await eventually(async () => {
      const { state } = await streams.info(messaging.streamName);
      return state.messages >= 6;
    });
    await server.kill();
    await server.loseStore();
    await server.start();
    await eventually(() => nats.ping().then(() => true));
    messaging.consumer();
    for (const text of rounds.slice(6)) await sendRound(relay, text);
    await expectAllInOrder();
  });

  it('all arrive once and in order even if MongoDB is killed', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'daycare-mongo-'));
    const { DAYCARE_MONGO_URL: _, ...env } = process.env;
    const found = findServer('mongo', { env, workspaceRoot: findWorkspaceRoot(__dirname) });
    if (found.kind !== 'binary') throw new Error('mongod not found');
    const start = () => startMongod({ binary: found.binary, env, dataDir: folder });
    let mongod = await start();
    const ownMongo = await connectMongo({ url: mongod.url, database: 'loss', appName: 'test' });
    messaging = await TestMessaging.create(ownMongo.db, nats.connection);
    try {
      const relay = messaging.relay(slowTiming);
      messaging.consumer();
      for (const [round, text] of rounds.entries()) {
        await sendRound(relay, text);
        if (round !== 5) continue;
        mongod.kill('SIGKILL');
        await mongod.exited;
        mongod = await start();
      }
      await expectAllInOrder();
      await messaging.close();
    } finally {
      await ownMongo.close();
      await mongod.stop();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
